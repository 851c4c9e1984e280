import { redirect } from "@remix-run/node";
import { screen } from "~/http/screen.server";

/** The palette's address for the providers, which are a tab of the settings. */
const { loader } = screen({ access: "public", load: () => redirect("/settings?tab=providers") });

export { loader };
