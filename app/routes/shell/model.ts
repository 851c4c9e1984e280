import { redirect } from "@remix-run/node";
import { chooseModelForEveryone } from "~/ai/models/model-offers.service.server";
import { refererPath } from "~/http/return-to.server";
import { intent, screen } from "~/http/screen.server";
import { ModelChoice } from "~/platform/settings/settings.schema";
import { chooseModel } from "~/team/members/preferences.service.server";

/** For this session, and saved as the preference; `everyone` is the organization's default. */
const { loader, action } = screen({
  access: "public",
  load: () => redirect("/"),
  actions: {
    submit: intent({
      access: "signed-in",
      input: ModelChoice,
      run: ({ actor, input }) => chooseModel(actor, input),
      done: { replace: true },
      failed: { toast: "Couldn't save the model" },
    }),
    everyone: intent({
      access: "providers.manage",
      input: ModelChoice,
      run: ({ actor, input }) => chooseModelForEveryone(actor, input),
      done: { replace: true },
      failed: { toast: "Couldn't save the default model" },
    }),
  },
  back: ({ returnTo, request }) => returnTo ?? refererPath(request) ?? "/",
});

export { action, loader };
