import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { ROLE_LABELS } from "~/core/actor";
import { signInMeta } from "~/http/authentication.server";
import { intent, screen } from "~/http/screen.server";
import { linkResult, signedIn } from "~/http/signing-in.server";
import { AuthFrame, Or, ProviderLink } from "~/team/members/components/auth-frame";
import { NewAccountForm } from "~/team/members/components/credential-form";
import { acceptWithPassword, invitationState } from "~/team/members/invitation.service.server";
import { AcceptInput } from "~/team/members/members.schema";
import { ROLE_HINTS } from "~/team/members/members.shared";
import { oauthProviderName } from "~/team/members/oauth-provider.service.server";
import { passwordAccepted } from "~/team/members/sign-in.service.server";
import { teamTitle } from "~/team/organization/organization.service.server";
import { Notice } from "~/ui/notice";
import { pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Invitation");

const { loader, action } = screen({
  access: "public",
  load: ({ params: { token = "" } }) => {
    const invitation = invitationState(token);
    const team = invitation.problem === null ? teamTitle(invitation) : "";
    return linkResult({ token, provider: oauthProviderName() ?? null, ...invitation, team });
  },
  actions: {
    submit: intent({
      access: "public",
      input: AcceptInput,
      hide: ["password"],
      long: [],
      run: ({ input, params: { token = "" } }) => acceptWithPassword(token, input),
      done: (member, { request, context }) =>
        signedIn(passwordAccepted(member, signInMeta(request, context)), "/", context),
    }),
  },
});

export { action, loader };

export default function Invite() {
  const { token, provider, problem, email, member, role, invitedBy, team } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  if (problem !== null) {
    return (
      <AuthFrame title="Invitation" footer={<Link to="/login">Sign In</Link>}>
        <Notice kind="warning">{problem}</Notice>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame
      title={
        member
          ? "Choose a new password"
          : `${invitedBy ?? "You are"} invited ${invitedBy ? "you " : ""}to ${team}`
      }
      subtitle={
        member
          ? "Your old password stops working and your other sessions end."
          : `Join as ${ROLE_LABELS[role].toLowerCase()}: ${ROLE_HINTS[role]}. This link works once.`
      }
    >
      {provider && (
        <>
          <ProviderLink provider={provider} query={{ invite: token }} />
          <Or />
        </>
      )}
      <NewAccountForm
        result={result}
        email={email}
        submit={member ? "Save Password" : "Join"}
        named={!member}
      />
    </AuthFrame>
  );
}
