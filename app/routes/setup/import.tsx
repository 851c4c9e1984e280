import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { intent, screen } from "~/http/screen.server";
import { linkResult } from "~/http/signing-in.server";
import { BACKUP_UPLOAD_LIMITS } from "~/team/backups/backups.schema";
import { importInstallation } from "~/team/backups/restore.service.server";
import { AuthFrame } from "~/team/members/components/auth-frame";
import { checkSetupLink } from "~/team/members/setup.service.server";
import { Notice } from "~/ui/notice";
import { pageTitle } from "~/ui/page-header";
import { UploadForm } from "~/ui/upload-form";

export const meta = pageTitle("Import");

const tokenOf = (url: URL) => url.searchParams.get("token") ?? "";

const { loader, action } = screen({
  access: "public",
  load: ({ url }) => linkResult({ token: tokenOf(url), problem: checkSetupLink(tokenOf(url)) ?? null }),
  actions: {
    submit: intent({
      access: "public",
      upload: BACKUP_UPLOAD_LIMITS,
      run: ({ url, parts }) => importInstallation(tokenOf(url), parts),
      done: { to: "/login?local=1" },
      failed: { dialog: "Couldn't import the backup" },
    }),
  },
});

export { action, loader };

export default function SetupImport() {
  const { token, problem } = useLoaderData<typeof loader>();
  const failed = useActionData<typeof action>()?.failed;
  if (problem) {
    return (
      <AuthFrame title="Import" footer={<Link to="/login">Sign In</Link>}>
        <Notice kind="warning">{problem}</Notice>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame
      title="Import an installation"
      subtitle="Continue with a backup of another console. Everyone signs in with their account from that console."
      footer={<Link to={`/setup?token=${encodeURIComponent(token)}`}>Create a new owner instead</Link>}
    >
      <UploadForm
        label="Backup"
        accept=".gz,application/gzip"
        submit="Import"
        hint="Choose a .tar.gz of at most 1 GB. The console restarts with it."
        error={failed?.description}
      />
      <p className="mt-4 text-pretty text-muted text-xs">
        Not included in a backup: environment variables with the values of keys, <code>session.secret</code>{" "}
        and <code>audit.key</code>. Set the variables here. Without the other console's audit key, its audit
        entries stay readable and can't be verified here.
      </p>
    </AuthFrame>
  );
}
