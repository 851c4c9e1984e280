import { redirect } from "@remix-run/node";
import { readBranding } from "~/features/branding/branding.service.server";
import { intent, screen } from "~/http/screen.server";
import { signOut } from "~/http/signing-in.server";

const { loader, action } = screen({
  access: "public",
  // A link can't sign out: another site's page could hold it.
  load: () => redirect("/"),
  actions: {
    submit: intent({
      access: "public",
      run: ({ request, context }) => signOut(request, context, readBranding().appName),
      done: (answer) => answer,
    }),
  },
});

export { action, loader };
