/** The receiver's library of Standard Webhooks. */
export { Webhook } from "standardwebhooks";
