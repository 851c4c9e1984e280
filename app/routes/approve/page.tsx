import { Form, type MetaArgs, useLoaderData } from "@remix-run/react";
import { intent, screen } from "~/http/screen.server";
import { linkResult } from "~/http/signing-in.server";
import { AuthFrame } from "~/team/members/components/auth-frame";
import { Button } from "~/ui/button";
import { Notice } from "~/ui/notice";
import { pageTitle } from "~/ui/page-header";
import { RelativeTime } from "~/ui/time";
import { answerByLink, readApproval } from "~/work/workflows/approval-links.service.server";

export const meta = (args: MetaArgs) => pageTitle("Approval")(args as never);

const decide = (approved: boolean) =>
  intent({
    access: "public",
    run: ({ params: { token = "" }, context: { address, requestId } }) =>
      answerByLink(token, approved, { address, requestId }),
    // Answered meanwhile: the page then says by whom.
    failed: { dialog: "Couldn't answer" },
  });

const { loader, action } = screen({
  access: "public",
  load: ({ params: { token = "" } }) => linkResult(readApproval(token)),
  actions: { approve: decide(true), refuse: decide(false) },
});

export { action, loader };

export default function Approve() {
  const approval = useLoaderData<typeof loader>();
  if (approval.problem !== null) {
    return (
      <AuthFrame title="Approval">
        <Notice kind="warning">{approval.problem}</Notice>
      </AuthFrame>
    );
  }
  const { question, answer } = approval;
  const footer = (
    <>
      For {question.recipient}
      <br />
      Run {question.runId}
    </>
  );
  if (answer) {
    return (
      <AuthFrame
        title={answer.approved ? "Approved" : "Refused"}
        subtitle={question.workflowName}
        footer={footer}
      >
        <p className="break-words font-medium">{question.question}</p>
        <Notice kind={answer.approved ? "success" : "info"}>
          {answer.approved ? "Approved" : "Refused"} by {answer.by}. The workflow continues. This link no
          longer works.
        </Notice>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame
      title={question.question}
      subtitle={`The workflow "${question.workflowName}" is waiting for your answer.`}
      footer={footer}
    >
      {question.details && (
        <p
          dir="auto"
          className="max-h-96 overflow-y-auto whitespace-pre-line break-words rounded-md border border-line bg-sunken p-3 text-start"
        >
          {question.details}
        </p>
      )}
      <Form method="post" className="grid grid-cols-2 gap-2">
        <Button name="intent" value="approve" variant="primary">
          Approve
        </Button>
        <Button name="intent" value="refuse">
          Refuse
        </Button>
      </Form>
      <p className="text-muted text-xs">
        Works once, until <RelativeTime at={question.expiresAt} style="date" />.
      </p>
    </AuthFrame>
  );
}
