/** Change this text, commit and push: the page shows it a few seconds later. */
export const heading = "Meshboard";
export const version = "1";
