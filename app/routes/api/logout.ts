import { endpoint, resource } from "~/http/resource.server";
import { signOut } from "~/http/signing-in.server";
import { readBranding } from "~/team/branding/branding.service.server";

const route = resource({
  path: "/api/logout",
  tag: "Signing in",
  POST: endpoint({
    summary: "Sign out",
    description: "Returns 204, or the next page for a browser form.",
    access: "public",
    status: 204,
    handle: ({ request, context }) => signOut(request, context, readBranding().appName),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
