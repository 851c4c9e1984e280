import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { AuthFrame, Or, ProviderLink } from "~/features/members/components/auth-frame";
import { NewAccountForm } from "~/features/members/components/credential-form";
import { OwnerInput } from "~/features/members/members.schema";
import { oauthProviderName } from "~/features/members/oauth-provider.service.server";
import { setUpWithPassword, setupState } from "~/features/members/setup.service.server";
import { completeSignIn } from "~/features/members/sign-in.service.server";
import { onScreen, submitForm } from "~/http/form.server";
import { readForm } from "~/http/read-body.server";
import { linkAnswer, signedIn, signInMeta } from "~/http/signing-in.server";
import { Notice } from "~/ui/notice";
import { titled } from "~/ui/titled";

export const meta = titled("Set-up");

const tokenOf = (request: Request) => new URL(request.url).searchParams.get("token") ?? "";

export function loader({ request }: LoaderFunctionArgs) {
  const token = tokenOf(request);
  return linkAnswer({ token, provider: oauthProviderName() ?? null, problem: setupState(token) ?? null });
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await onScreen(context, () => readForm(request));
  const outcome = await submitForm(form, OwnerInput, context, (v) => setUpWithPassword(tokenOf(request), v), {
    hide: ["password"],
    long: [],
  });
  if (!outcome.done) return outcome.answer;
  return signedIn(completeSignIn(outcome.value, signInMeta(request, context), "password"), "/", context);
}

export default function Setup() {
  const { token, provider, problem } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  if (problem) {
    return (
      <AuthFrame title="Set-up" footer={<Link to="/login">Go to the sign-in</Link>}>
        <Notice kind="warning">{problem}</Notice>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame
      title="Create the owner"
      subtitle="You will be this console's owner. The link works once; set-up closes when you are done."
    >
      {provider && (
        <>
          <ProviderLink provider={provider} query={{ setup: token }} />
          <Or />
        </>
      )}
      <NewAccountForm result={result} submit="Create owner" />
    </AuthFrame>
  );
}
