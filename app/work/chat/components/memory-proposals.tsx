import { useSubmit } from "@remix-run/react";
import type { FormEvent, FormEventHandler } from "react";
import { withBase } from "~/core/base-path";
import { Button } from "~/ui/button";
import { HiddenFields } from "~/ui/input";
import { Notice } from "~/ui/notice";
import type { Conversation } from "../chat.schema";

export interface Proposal {
  id: string;
  text: string;
  /** The project that it is about; null if it is about the person. */
  project: string | null;
}

interface Props {
  proposals: readonly Proposal[];
  conversation: Pick<Conversation, "id" | "outsideContent">;
  /** With JavaScript: sends the form without loading the page. */
  onSubmit?: FormEventHandler<HTMLFormElement>;
}

/** What the model proposes to remember, with the decisions on it. */
export function MemoryProposals({ proposals, conversation, onSubmit }: Props) {
  return (
    <div data-memory-proposals="" className="pb-3 print:hidden">
      <Notice
        title={proposals.some(({ project }) => project) ? "Remember this?" : "Remember this about you?"}
      >
        <ul className="mt-1 space-y-2">
          {proposals.map(({ id, text, project }) => (
            <li key={id} className="flex flex-wrap items-center justify-between gap-2">
              <span className="wrap-anywhere min-w-0 flex-[1_1_14rem]" dir="auto">
                {text}
                {project && <span className="block text-muted text-xs">For all members of {project}</span>}
              </span>
              <form
                method="post"
                action={withBase("/settings/profile/memory")}
                onSubmit={onSubmit}
                className="flex shrink-0 gap-2"
                data-sends-itself
              >
                <HiddenFields values={{ id, returnTo: `/chat/${conversation.id}` }} />
                <Button size="sm" variant="primary" name="intent" value="keep" aria-label={`Keep ${text}`}>
                  Keep
                </Button>
                <Button size="sm" name="intent" value="forget" aria-label={`Forget ${text}`}>
                  Forget
                </Button>
              </form>
            </li>
          ))}
        </ul>
        <p className="mt-2 text-muted text-xs">
          {conversation.outsideContent &&
            "This chat has content from outside, which may have led to it: keep only what is true of you. "}
          Later chats use what you keep. It is listed under{" "}
          <a href={withBase("/settings/profile/memory")} className="underline">
            Memory
          </a>
          .
        </p>
      </Notice>
    </div>
  );
}

export function SubmittedProposals(props: Props) {
  const submit = useSubmit();
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    submit(submitter as HTMLButtonElement, { preventScrollReset: true });
  };
  return <MemoryProposals {...props} onSubmit={onSubmit} />;
}
