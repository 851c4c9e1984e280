import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { z } from "zod";
import { SettingsForm } from "~/console/settings/components/settings-form";
import { formShape } from "~/http/form.server";
import { intent, screen } from "~/http/screen.server";
import { branding } from "~/platform/settings/groups/branding.schema";
import { SettingsVersion } from "~/platform/settings/settings.schema";
import { readFormGroup } from "~/platform/settings/settings.service.server";
import { resetBranding, saveBrandingForm } from "~/team/branding/branding.service.server";
import { BrandPreview } from "~/team/branding/components/brand-preview";
import { previewFonts } from "~/team/branding/page-brand.service.server";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { FAILURES } from "~/ui/failures";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { pageTitle, SectionHeader } from "~/ui/page-header";

export const meta = pageTitle("Branding & Theme", "Settings");

const HERE = "/settings/branding";

const BrandingForm = z.object({ ...formShape(branding.fields), version: SettingsVersion });

const { loader, action } = screen({
  access: "settings.manage",
  load: ({ actor }) => ({ ...readFormGroup(actor, "branding"), fonts: previewFonts() }),
  actions: {
    save: intent({
      access: "settings.manage",
      input: BrandingForm,
      long: ["customCss"],
      run: ({ actor, input: { version, ...submitted } }) => saveBrandingForm(actor, submitted, version),
      done: "Branding settings saved",
    }),
    reset: intent({
      access: "settings.manage",
      input: z.object({ version: SettingsVersion }),
      run: ({ actor, input }) => resetBranding(actor, input.version),
      done: "Branding settings saved",
      failed: { dialog: FAILURES.saveBranding },
    }),
  },
});

/** Dialogs use the page's data. */
const shouldRevalidate = ignoreDialogParams();

export { action, loader, shouldRevalidate };

/** By name; the last card has the rest. */
const CARDS: readonly (readonly [title: string, names: RegExp])[] = [
  ["Brand Identity", /^(appName|tagline|landing\w+)$/],
  ["Colors & Theme", /^(theme|\w+Color|fontFamily|borderRadius|glassEffect|backgroundPattern)$/],
  ["Assets & Custom Styling", /./],
];

const ImageUploads = () => (
  <div className="flex flex-wrap gap-2">
    <LinkButton to="/settings/branding/image?for=logo" size="sm">
      Upload Logo
    </LinkButton>
    <LinkButton to="/settings/branding/image?for=favicon" size="sm">
      Upload Favicon
    </LinkButton>
  </div>
);

export default function BrandingTab() {
  const { fields, values, version, fonts } = useLoaderData<typeof loader>();
  const actionData = useActionData<typeof action>();
  const [search] = useSearchParams();
  const cardOf = (name: string) => CARDS.find(([, names]) => names.test(name))?.[0];
  return (
    <div className="flex flex-col gap-4">
      <SectionHeader
        title="Branding & Theme"
        subtitle="How the console looks, signed in or not"
        actions={
          <div className="flex gap-2">
            <LinkButton to="/settings/branding/export" reloadDocument>
              Export
            </LinkButton>
            <LinkButton to="/settings/branding/import">Import</LinkButton>
          </div>
        }
      />
      <SettingsForm
        cards={CARDS.map(([title]) => ({
          title,
          fields: Object.fromEntries(Object.entries(fields).filter(([name]) => cardOf(name) === title)),
          values,
          ...(title === "Colors & Theme" && {
            extra: <BrandPreview values={values} fonts={fonts} />,
            isTall: true,
          }),
          ...(title === "Assets & Custom Styling" && { actions: <ImageUploads /> }),
        }))}
        versions={{ version }}
        save="Save Changes"
        failed={FAILURES.saveBranding.title}
        result={actionData?.result}
        actions={
          <LinkButton to="?dialog=reset" preventScrollReset>
            Reset to Defaults
          </LinkButton>
        }
      />
      {search.get("dialog") === "reset" && (
        <ConfirmDialog
          title="Reset the branding to its defaults?"
          description="Resets the name, texts, colors, theme, images and custom CSS. This can't be undone."
          closeTo={HERE}
          intent="reset"
          values={{ version: String(version) }}
          confirmLabel="Reset to Defaults"
        />
      )}
    </div>
  );
}
