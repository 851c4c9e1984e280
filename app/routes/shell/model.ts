import { redirect } from "@remix-run/node";
import { ModelChoice } from "~/features/settings/settings.schema";
import { chooseModel } from "~/features/settings/settings.service.server";
import { intent, screen } from "~/http/screen.server";

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
      failed: "page",
    }),
  },
  back: ({ returnTo = "/" }) => returnTo,
});

export { action, loader };
