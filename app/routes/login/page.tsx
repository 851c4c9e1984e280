import { redirect } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { lacksFactor, setUpAddress, signInMeta } from "~/http/authentication.server";
import { safeReturnTo } from "~/http/return-to.server";
import { intent, screen } from "~/http/screen.server";
import { authenticateForm, signedIn } from "~/http/signing-in.server";
import { AuthFrame, ProviderLink } from "~/team/members/components/auth-frame";
import { SignInForm } from "~/team/members/components/credential-form";
import { PasskeyForm } from "~/team/members/components/passkey-form";
import { SignInInput } from "~/team/members/members.schema";
import { REFUSALS } from "~/team/members/oauth.service.server";
import { oauthProviderName } from "~/team/members/oauth-provider.service.server";
import { offersPasskeys, signInWithPasskey } from "~/team/members/passkeys.service.server";
import { CredentialInput } from "~/team/members/second-factor.schema";
import { isSetUp } from "~/team/members/setup.service.server";
import { LinkButton } from "~/ui/button";
import { Notice } from "~/ui/notice";
import { pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Sign In");

const ERRORS: Record<string, string> = {
  expired: "Your sign-in expired or was started in another window. Try again.",
  declined: "The provider declined the sign-in. Try again, or use another account.",
  ...REFUSALS,
  refused: REFUSALS.removed,
  answer: "The sign-in provider's answer can't be used. The server's log has the reason.",
  link: "This link isn't valid or has expired. Ask an admin for a new one.",
  conflict: "You are already a member with another account. Sign in without the link.",
  unavailable: "The sign-in provider can't be reached. Try again in a moment.",
};

const { loader, action } = screen({
  access: "public",
  load: ({ actor, request, context, url: { searchParams } }) => {
    const returnTo = safeReturnTo(searchParams.get("returnTo"));
    if (actor) throw redirect(returnTo, 303);
    if (lacksFactor(request, context)) throw redirect(setUpAddress(returnTo), 303);
    const provider = oauthProviderName() ?? null;
    const setUp = isSetUp();
    return {
      provider,
      local: provider === null || searchParams.get("local") === "1",
      passkeys: offersPasskeys(context.origin),
      returnTo,
      error: ERRORS[searchParams.get("error") ?? ""] ?? null,
      setUp,
    };
  },
  actions: {
    submit: intent({
      access: "public",
      input: SignInInput,
      hide: ["password"],
      long: [],
      run: ({ input, request, context }) => authenticateForm(input, request, context),
      done: (session, { returnTo = "/", context }) => signedIn(session, returnTo, context),
    }),
    passkey: intent({
      access: "public",
      input: CredentialInput,
      hide: ["credential"],
      long: ["credential"],
      run: ({ input, request, context }) => signInWithPasskey(input.credential, signInMeta(request, context)),
      done: (session, { returnTo = "/", context }) => signedIn(session, returnTo, context),
    }),
  },
});

export { action, loader };

export default function Login() {
  const { provider, local, passkeys, returnTo, error, setUp } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const query: Record<string, string> = returnTo === "/" ? {} : { returnTo };
  if (!setUp) return <NotSetUp />;
  const elsewhere = new URLSearchParams(local ? query : { ...query, local: "1" });
  return (
    <AuthFrame
      title="Sign In"
      footer={
        provider && (
          <Link to={`/login?${elsewhere}`} className="underline">
            {local ? `Sign In with ${provider}` : "Use a Local Account"}
          </Link>
        )
      }
    >
      {error && <Notice kind="danger">{error}</Notice>}
      {local ? (
        <>
          <SignInForm result={result} passkeys={passkeys} />
          {passkeys && <PasskeyForm />}
        </>
      ) : (
        provider && <ProviderLink provider={provider} query={query} />
      )}
    </AuthFrame>
  );
}

/** Setup starts from the link that the server prints. */
function NotSetUp() {
  return (
    <AuthFrame title="Set up this console" subtitle="Create the owner's account to begin.">
      <p>Open the one-time setup link in the server's output. To print a new one, start the server again:</p>
      <pre className="overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2.5 font-mono text-xs leading-5">
        npm start{"\n\n"}
        <span className="text-muted"># with Docker</span>
        {"\n"}docker compose restart{"\n"}docker compose logs
      </pre>
      <LinkButton to="/login" reloadDocument>
        Check Again
      </LinkButton>
    </AuthFrame>
  );
}
