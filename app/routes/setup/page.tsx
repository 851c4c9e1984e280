import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { signInMeta } from "~/http/authentication.server";
import { intent, screen } from "~/http/screen.server";
import { linkResult, signedIn } from "~/http/signing-in.server";
import { AuthFrame, Or, ProviderLink } from "~/team/members/components/auth-frame";
import { NewAccountForm } from "~/team/members/components/credential-form";
import { OwnerInput } from "~/team/members/members.schema";
import { oauthProviderName } from "~/team/members/oauth-provider.service.server";
import { checkSetupLink, setUpWithPassword } from "~/team/members/setup.service.server";
import { passwordAccepted } from "~/team/members/sign-in.service.server";
import { Notice } from "~/ui/notice";
import { pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Setup");

const { loader, action } = screen({
  access: "public",
  load: ({ url }) => {
    const token = url.searchParams.get("token") ?? "";
    return linkResult({
      token,
      provider: oauthProviderName() ?? null,
      problem: checkSetupLink(token) ?? null,
    });
  },
  actions: {
    submit: intent({
      access: "public",
      input: OwnerInput,
      hide: ["password"],
      long: [],
      run: ({ input, url }) => setUpWithPassword(url.searchParams.get("token") ?? "", input),
      done: (member, { request, context }) =>
        signedIn(passwordAccepted(member, signInMeta(request, context)), "/", context),
    }),
  },
});

export { action, loader };

export default function Setup() {
  const { token, provider, problem } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  if (problem) {
    return (
      <AuthFrame title="Setup" footer={<Link to="/login">Sign In</Link>}>
        <Notice kind="warning">{problem}</Notice>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame
      title="Create your owner account"
      subtitle="Owners have full access. This link works once."
      footer={<Link to={`/setup/import?token=${encodeURIComponent(token)}`}>Import an installation</Link>}
    >
      {provider && (
        <>
          <ProviderLink provider={provider} query={{ setup: token }} />
          <Or />
        </>
      )}
      <NewAccountForm result={result} submit="Create Account" />
    </AuthFrame>
  );
}
