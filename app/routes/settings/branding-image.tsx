import { useActionData, useLoaderData } from "@remix-run/react";
import { withBase } from "~/core/base-path";
import { intent, screen } from "~/http/screen.server";
import { IMAGE_UPLOAD, ImageQuery } from "~/team/branding/branding.schema";
import { readBrandingResponse, submitBrandImage } from "~/team/branding/branding.service.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { FAILURES } from "~/ui/failures";
import { pageTitle } from "~/ui/page-header";
import { UploadForm } from "~/ui/upload-form";

export const meta = pageTitle("Upload Image", "Branding & Theme");

const BACK = "/settings/branding";
const ACCEPTED = ".svg,.png,.jpg,.jpeg,.webp,.gif,.ico";

const { loader, action } = screen({
  access: "settings.manage",
  query: ImageQuery,
  load: ({ query }) => {
    const { logoUrl, faviconUrl, version } = readBrandingResponse();
    return { target: query.for, present: query.for === "logo" ? logoUrl : faviconUrl, version };
  },
  actions: {
    submit: intent({
      access: "settings.manage",
      upload: IMAGE_UPLOAD,
      run: ({ actor, parts, url }) =>
        submitBrandImage(actor, ImageQuery.parse(Object.fromEntries(url.searchParams)).for, parts),
      done: (outcome) =>
        outcome.problem ? { show: outcome, status: 400 } : { to: BACK, toast: "Branding settings saved" },
      failed: { toast: FAILURES.saveBranding },
    }),
  },
  back: () => BACK,
});

export { action, loader };

const LABELS = { logo: "Logo", favicon: "Favicon" } as const;

export default function BrandingImage() {
  const { target, present, version } = useLoaderData<typeof loader>();
  const problem = useActionData<typeof action>()?.shown?.problem;
  const label = LABELS[target];
  return (
    <Card title={`Upload ${label}`} className="max-w-xl">
      <UploadForm
        label={label}
        hint="Choose an SVG, PNG, JPEG, WebP, GIF or ICO file of at most 512 KB"
        accept={ACCEPTED}
        error={problem}
        submit="Upload"
        cancel={<LinkButton to={BACK}>Cancel</LinkButton>}
      >
        <input type="hidden" name="version" value={version} />
        {present.startsWith("/") && (
          <p className="flex items-center gap-3 text-muted">
            <img src={withBase(present)} alt="" className="size-10 object-contain" />
            Current image
          </p>
        )}
      </UploadForm>
    </Card>
  );
}
