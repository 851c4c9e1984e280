import { redirect } from "@remix-run/node";
import { refererPath } from "~/http/return-to.server";
import { intent, screen } from "~/http/screen.server";
import { ModelChoice } from "~/platform/settings/settings.schema";
import { chooseModel } from "~/team/members/preferences.service.server";

/** For this session, and saved as the preference. */
const { loader, action } = screen({
  access: "public",
  load: () => redirect("/"),
  actions: {
    submit: intent({
      access: "signed-in",
      input: ModelChoice,
      run: ({ actor, input }) => chooseModel(actor, input),
      done: (_, { returnTo }) => (returnTo === undefined ? { show: null } : { replace: true }),
      failed: { toast: "Couldn't save the model" },
    }),
  },
  back: ({ returnTo, request }) => returnTo ?? refererPath(request) ?? "/",
});

export { action, loader };
