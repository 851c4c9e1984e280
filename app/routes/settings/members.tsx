import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { listMembers } from "~/features/members/member.service.server";
import { FactsCard } from "~/features/settings/components/facts-card";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";

export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => ({ members: listMembers(actor) }));
}

export default function Members() {
  const { members } = useLoaderData<typeof loader>();
  return (
    <FactsCard
      title="Members"
      description="Who may use this console, and their role."
      facts={members.map((member) => [member.email, member.role] as const)}
    />
  );
}
