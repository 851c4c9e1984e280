import { useActionData, useLoaderData } from "@remix-run/react";
import { intent, screen } from "~/http/screen.server";
import { BRAND_UPLOAD } from "~/team/branding/branding.schema";
import { readBrandingResponse } from "~/team/branding/branding.service.server";
import { UploadCard } from "~/team/branding/components/upload-card";
import { importBranding } from "~/team/branding/exchange.service.server";
import { FAILURES } from "~/ui/failures";
import { pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Import Branding", "Settings");

const BACK = "/settings/branding";

const { loader, action } = screen({
  access: "settings.manage",
  load: () => ({ version: readBrandingResponse().version }),
  actions: {
    submit: intent({
      access: "settings.manage",
      upload: BRAND_UPLOAD,
      run: ({ actor, parts }) => importBranding(actor, parts),
      done: (outcome) =>
        outcome.problem ? { show: outcome, status: 400 } : { to: BACK, toast: "Branding settings saved" },
      failed: { toast: FAILURES.saveBranding },
    }),
  },
  back: () => BACK,
});

export { action, loader };

export default function BrandingImport() {
  const { version } = useLoaderData<typeof loader>();
  const problem = useActionData<typeof action>()?.shown?.problem;
  return (
    <UploadCard
      title="Import Branding"
      label="File"
      hint="Choose a branding.json that was exported from a console"
      accept=".json"
      version={version}
      problem={problem}
      confirmLabel="Import"
      cancelTo={BACK}
    />
  );
}
