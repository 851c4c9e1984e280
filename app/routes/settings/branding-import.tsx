import { useActionData, useLoaderData } from "@remix-run/react";
import { intent, screen } from "~/http/screen.server";
import { BRAND_UPLOAD } from "~/team/branding/branding.schema";
import { readBrandingResponse } from "~/team/branding/branding.service.server";
import { importBranding } from "~/team/branding/exchange.service.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { FAILURES } from "~/ui/failures";
import { pageTitle } from "~/ui/page-header";
import { UploadForm } from "~/ui/upload-form";

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
    <Card title="Import Branding" className="max-w-xl">
      <UploadForm
        label="File"
        hint="Choose a branding.json that was exported from a console"
        accept=".json"
        error={problem}
        submit="Import"
        cancel={<LinkButton to={BACK}>Cancel</LinkButton>}
      >
        <input type="hidden" name="version" value={version} />
      </UploadForm>
    </Card>
  );
}
