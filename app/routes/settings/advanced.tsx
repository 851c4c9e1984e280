import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { authorise } from "~/features/members/authorisation.server";
import { readAdvancedSettings } from "~/features/settings/advanced.service.server";
import { FactsCard } from "~/features/settings/components/facts-card";
import { ToolsCard } from "~/features/tools/components/tools-card";
import { ToolPolicyForm } from "~/features/tools/tools.schema";
import { listTools, setToolPolicy } from "~/features/tools/tools.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";
import { orToast, refuseIntent, takeField } from "~/http/intents.server";
import { parseWith } from "~/http/parse.server";
import { readForm } from "~/http/read-body.server";
import { redirectWithToast } from "~/http/toast.server";

const HERE = "/settings/advanced";

export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => {
    const { ai, security } = readAdvancedSettings(actor);
    const tools = listTools(actor).map(({ name, title, effect, policy }) => ({
      name,
      title,
      effect,
      policy,
    }));
    return { ai, security, tools };
  });
}

export function action({ request, context }: ActionFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, async () => {
    authorise(actor, "settings.manage");
    const form = await readForm(request);
    if (takeField(form, "intent") !== "set-tool-policy") return refuseIntent();
    const { name, policy } = parseWith(ToolPolicyForm, Object.fromEntries(form), "form");
    return orToast(HERE, "Couldn't save", context, () => {
      setToolPolicy(actor, name, policy);
      return redirectWithToast(HERE, { kind: "success", title: `Saved: ${name}` }, context);
    });
  });
}

export default function Advanced() {
  const { ai, security, tools } = useLoaderData<typeof loader>();
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <FactsCard
        title="Security"
        description="In force on every page and call."
        facts={[
          ["Content security policy", "On"],
          ["Audit log", "On"],
          ["Cross-origin access", "Off"],
          [
            "Session timeout",
            `${security.sessionTimeout.toLocaleString("en-US")} s of idleness, and 30 days in any case`,
          ],
        ]}
      />
      <FactsCard
        title="AI Configuration"
        description="How the console asks providers."
        facts={[
          ["Timeout", `${ai.timeout} ms of silence`],
          ["Retry attempts", `${ai.retryAttempts}, before the answer begins`],
        ]}
      />
      <div className="lg:col-span-2">
        <ToolsCard tools={tools} />
      </div>
    </div>
  );
}
