import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { signOut } from "~/http/signing-in.server";

/** A link can't sign out: another site's page could hold it. */
export function loader() {
  return redirect("/");
}

export function action({ request, context }: ActionFunctionArgs) {
  return signOut(request, context);
}
