/** The id of the model that is built in. By itself, so that the browser can know it without a schema library. */
export const OFFLINE_MODEL = "quarterdeck-offline";
