/** The helpers of src/json, under the name that they had. */
export * from "../json/json.ts";
