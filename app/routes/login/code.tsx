import { redirect } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { signInMeta } from "~/http/authentication.server";
import { safeReturnTo } from "~/http/return-to.server";
import { intent, screen } from "~/http/screen.server";
import { endedHalfSignIn, halfSignInOf, signedIn } from "~/http/signing-in.server";
import { AuthFrame } from "~/team/members/components/auth-frame";
import { CodeForm } from "~/team/members/components/credential-form";
import { CodeInput } from "~/team/members/second-factor.schema";
import { awaitsCode, finishSignIn } from "~/team/members/sign-in.service.server";
import { pageTitle } from "~/ui/page-header";

export const meta = pageTitle("Sign In");

/** The second step of signing in with a password. */
const { loader, action } = screen({
  access: "public",
  load: ({ actor, request, context, url: { searchParams } }) => {
    const returnTo = safeReturnTo(searchParams.get("returnTo"));
    if (actor) throw redirect(returnTo, 303);
    const query = new URLSearchParams({ local: "1", returnTo }).toString();
    return {
      again: `/login?${query}`,
      isWaiting: awaitsCode(halfSignInOf(request, context) ?? "", context.address),
    };
  },
  actions: {
    submit: intent({
      access: "public",
      input: CodeInput,
      hide: ["code"],
      long: [],
      run: ({ input, request, context }) =>
        finishSignIn(halfSignInOf(request, context) ?? "", input.code, signInMeta(request, context)),
      done: (session, { returnTo = "/", context }) =>
        signedIn(session, returnTo, context, endedHalfSignIn(context)),
    }),
  },
});

export { action, loader };

export default function Code() {
  const { again, isWaiting } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  return (
    <AuthFrame
      title="Enter your code"
      subtitle={
        isWaiting
          ? "Open your authenticator app and enter the 6 digits it shows for this console."
          : "Your sign-in took too long, or began on another network."
      }
      footer={
        <Link to={again} className="underline">
          Sign In Again
        </Link>
      }
    >
      {isWaiting && <CodeForm result={result} />}
    </AuthFrame>
  );
}
