import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { currentUser } from "~/features/members/member.service.server";
import { FactsCard } from "~/features/settings/components/facts-card";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";

export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => ({ user: currentUser(actor) }));
}

export default function Profile() {
  const { user } = useLoaderData<typeof loader>();
  return (
    <FactsCard
      title="Profile"
      description="Who you are to the others."
      facts={[
        ["First name", user.firstName ?? "—"],
        ["Last name", user.lastName ?? "—"],
        ["E-mail", user.email],
        ["Role", user.role],
      ]}
    />
  );
}
