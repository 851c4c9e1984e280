import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { readAdvancedSettings } from "~/features/settings/advanced.service.server";
import { FactsCard } from "~/features/settings/components/facts-card";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";

export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => {
    const { ai, security } = readAdvancedSettings(actor);
    return { ai, security };
  });
}

export default function Advanced() {
  const { ai, security } = useLoaderData<typeof loader>();
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
    </div>
  );
}
