import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { readBranding } from "~/features/branding/branding.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { FactsCard } from "~/features/settings/components/facts-card";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";

export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => {
    authorise(actor, "settings.manage");
    return { branding: readBranding() };
  });
}

export default function BrandingTab() {
  const { branding } = useLoaderData<typeof loader>();
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <FactsCard
        title="Brand Identity"
        description="What the console calls itself. These are in force."
        facts={[
          ["Name", branding.appName],
          ["Tagline", branding.tagline],
        ]}
      />
      <FactsCard
        title="Colors & Theme"
        description="Everyone may choose a theme of their own in the user menu."
        facts={[
          ["Theme", branding.theme],
          ["Primary", <Colour key="primary" value={branding.primaryColor} />],
          ["Secondary", <Colour key="secondary" value={branding.secondaryColor} />],
          ["Accent", <Colour key="accent" value={branding.accentColor} />],
          ["Background", <Colour key="background" value={branding.backgroundColor} />],
          ["Text", <Colour key="text" value={branding.textColor} />],
          ["Font", branding.fontFamily],
          ["Border radius", `${branding.borderRadius} px`],
          ["Glass effect", branding.glassEffect ? "On" : "Off"],
          ["Pattern", branding.backgroundPattern],
        ]}
      />
      <FactsCard
        title="Assets & Custom Styling"
        description="The console's own mark stands in where no logo is set."
        facts={[
          ["Logo", branding.logoUrl || "None"],
          ["Favicon", branding.faviconUrl || "None"],
          ["Custom CSS", branding.customCss ? `${branding.customCss.length} characters` : "None"],
        ]}
      />
    </div>
  );
}

function Colour({ value }: { value: string }) {
  return (
    <span className="inline-flex items-center gap-2 font-mono text-xs">
      <span
        aria-hidden="true"
        style={{ background: value }}
        className="size-4 rounded-sm border border-line"
      />
      {value}
    </span>
  );
}
