import { redirect } from "@remix-run/node";

/** The palette's address for the providers, which are a tab of the settings. */
export const loader = () => redirect("/settings?tab=providers");
