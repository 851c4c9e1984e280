import { redirect } from "@remix-run/node";
import { intent, screen } from "~/http/screen.server";
import { ThemeChoice } from "~/platform/settings/settings.schema";
import { updateUserSettings } from "~/team/members/preferences.service.server";

const { loader, action } = screen({
  access: "public",
  load: () => redirect("/settings?tab=profile"),
  actions: {
    submit: intent({
      access: "signed-in",
      input: ThemeChoice,
      run: ({ actor, input }) => updateUserSettings(actor, input),
      done: { replace: true },
      failed: "page",
    }),
  },
  back: ({ returnTo = "/" }) => returnTo,
});

export { action, loader };
