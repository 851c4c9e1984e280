import { redirect } from "@remix-run/node";
import { screen } from "~/http/screen.server";

/** The contract's address for a tab of the settings. */
const { loader } = screen({ access: "public", load: () => redirect("/settings?tab=providers") });

export { loader };
