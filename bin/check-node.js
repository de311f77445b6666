// Loaded first by every command here, and by nothing else: old versions of Node must get this far and no further.
var parts = process.versions.node.split(".").map(Number);
if (parts[0] < 20 || (parts[0] === 20 && parts[1] < 20)) {
  console.error("mesh-delivery needs Node 20.20 or newer; this is " + process.version + " (" + process.execPath + ").");
  process.exit(2);
}
