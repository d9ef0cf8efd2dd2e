/**
 * The version of this program, as package.json states it; a test compares the two.
 *
 * It is a constant and not read from a file, since the bundled program has no package.json beside it.
 */
export const version = "0.1.0";
