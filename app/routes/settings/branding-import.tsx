import { Form, useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { readBrandingAnswer } from "~/features/branding/branding.service.server";
import { BRAND_UPLOAD } from "~/features/branding/exchange.schema";
import { importBranding } from "~/features/branding/exchange.service.server";
import { intent, screen } from "~/http/screen.server";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field } from "~/ui/field";
import { Input } from "~/ui/input";
import { titled } from "~/ui/titled";

export const meta = titled("Import Branding", "Settings");

const BACK = "/settings/branding";

const { loader, action } = screen({
  access: "settings.manage",
  load: () => ({ version: readBrandingAnswer().version }),
  actions: {
    submit: intent({
      access: "settings.manage",
      upload: BRAND_UPLOAD,
      run: ({ actor, parts }) => importBranding(actor, parts),
      done: (outcome) =>
        outcome.problem ? { show: outcome, status: 400 } : { to: BACK, toast: "Branding settings saved" },
      failed: { toast: "Failed to save branding settings" },
    }),
  },
  back: () => BACK,
});

export { action, loader };

export default function BrandingImport() {
  const { version } = useLoaderData<typeof loader>();
  const problem = useActionData<typeof action>()?.shown?.problem;
  const pending = useNavigation().formMethod === "POST";
  return (
    <Card title="Import Branding" className="max-w-xl">
      <Form
        method="post"
        encType="multipart/form-data"
        reloadDocument
        noValidate
        className="flex flex-col gap-4"
      >
        <input type="hidden" name="version" value={version} />
        <Field
          label="File"
          name="file"
          hint="Choose a branding.json that was exported from a console"
          error={problem}
          required
        >
          <Input type="file" accept=".json" className="h-auto! py-1.5" />
        </Field>
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" pending={pending}>
            Import
          </Button>
          <LinkButton to={BACK}>Cancel</LinkButton>
        </div>
      </Form>
    </Card>
  );
}
