import { redirect } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { AuthFrame, ProviderLink } from "~/features/members/components/auth-frame";
import { SignInForm } from "~/features/members/components/credential-form";
import { SignInInput } from "~/features/members/members.schema";
import { oauthProviderName } from "~/features/members/oauth-provider.service.server";
import { isSetUp } from "~/features/members/setup.service.server";
import { signIn } from "~/features/members/sign-in.service.server";
import { safeReturnTo } from "~/http/return-to.server";
import { intent, screen } from "~/http/screen.server";
import { signedIn, signInMeta } from "~/http/signing-in.server";
import { Notice } from "~/ui/notice";
import { titled } from "~/ui/titled";

export const meta = titled("Sign in");

const ERRORS: Record<string, string> = {
  expired: "The sign-in took too long or was begun in another window. Try again.",
  declined: "The provider didn't let you in. Try again, or use another account there.",
  refused: "You don't have access to this console. Ask an admin for an invitation.",
  link: "This link is not valid any more. Ask for a new one.",
  conflict: "You are a member already, as someone else than this link is for.",
  unavailable: "The sign-in provider can't be reached. Try again in a moment.",
};

const { loader, action } = screen({
  access: "public",
  load: ({ actor, url: { searchParams } }) => {
    const returnTo = safeReturnTo(searchParams.get("returnTo"));
    if (actor) throw redirect(returnTo, 303);
    const provider = oauthProviderName() ?? null;
    return {
      provider,
      local: provider === null || searchParams.get("local") === "1",
      returnTo,
      error: ERRORS[searchParams.get("error") ?? ""] ?? null,
      setUp: isSetUp(),
    };
  },
  actions: {
    submit: intent({
      access: "public",
      input: SignInInput,
      hide: ["password"],
      long: [],
      run: ({ input, request, context }) => signIn(input, signInMeta(request, context)),
      done: (session, { returnTo = "/", context }) => signedIn(session, returnTo, context),
    }),
  },
});

export { action, loader };

export default function Login() {
  const { provider, local, returnTo, error, setUp } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const query: Record<string, string> = returnTo === "/" ? {} : { returnTo };
  const elsewhere = new URLSearchParams(local ? query : { ...query, local: "1" });
  return (
    <AuthFrame
      title="Sign in"
      footer={
        provider && (
          <Link to={`/login?${elsewhere}`} className="underline">
            {local ? `Sign in with ${provider} instead` : "Use a local account"}
          </Link>
        )
      }
    >
      {error && <Notice kind="danger">{error}</Notice>}
      {!setUp && (
        <Notice kind="warning" title="Set-up comes first">
          This console has no owner yet. Open the one-time link that it printed when it started.
        </Notice>
      )}
      {local ? (
        <SignInForm result={result} />
      ) : (
        provider && <ProviderLink provider={provider} query={query} />
      )}
    </AuthFrame>
  );
}
