import { redirect } from "@remix-run/node";
import { intent, screen } from "~/http/screen.server";
import { signOut } from "~/http/signing-in.server";
import { readBranding } from "~/team/branding/branding.service.server";

const { loader, action } = screen({
  access: "public",
  // Not by GET, which other sites could trigger.
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
