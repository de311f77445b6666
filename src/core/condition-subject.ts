/** How the subjects of conditions name nodes and modules. */
export const oneName = /^([^/@# ]+)$/;
/** A node and what is on it; more may follow after a blank. */
export const twoNames = /^([^/@# ]+)\/([^/@# ]+)/;
