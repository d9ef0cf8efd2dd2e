/**
 * In CI properties are tried with the same values each time, so that a run can be repeated; elsewhere with new ones.
 */
import fc from "fast-check";

if (process.env.CI) fc.configureGlobal({ seed: 20_261_130 });
