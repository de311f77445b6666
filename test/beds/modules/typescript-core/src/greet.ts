// What every page of the mesh says.
export function greet(name: string): string {
  return `hello ${name}, from typescript-core`;
}
