import { Form } from "@remix-run/react";
import type { ComponentProps } from "react";
import { Button, LinkButton } from "~/ui/button";
import type { ChatMessage } from "../chat.schema";
import type { EarlierPassages } from "../sources.shared";
import { type Branching, BranchingProvider, useBranching } from "./branching";
import { MessageView } from "./message-view";

interface ComparedProps {
  message: ChatMessage;
  branching: Branching;
  earlier: EarlierPassages | undefined;
}

function ComparedVariants({ message, branching, earlier }: ComparedProps) {
  const { messages = [], renderings = {} } = branching.compared ?? {};
  return (
    <section aria-label="Versions of this answer" className="space-y-3">
      <header className="flex items-center justify-between gap-2">
        <h2 className="text-sm">{messages.length} versions of this answer</h2>
        <LinkButton to={branching.addressOf()} preventScrollReset replace variant="ghost" size="sm">
          Close
        </LinkButton>
      </header>
      <div className="grid gap-3 sm:grid-cols-[repeat(auto-fit,minmax(18rem,1fr))]">
        {messages.map((variant) => (
          <div
            key={variant.id}
            className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4"
          >
            <h3 className="wrap-anywhere text-sm">
              Version {message.variants.indexOf(variant.id) + 1} · {variant.model}
            </h3>
            <div className="flex-1">
              <BranchingProvider value={undefined}>
                <MessageView
                  message={variant}
                  rendering={renderings[variant.id]}
                  earlier={earlier}
                  untitled
                />
              </BranchingProvider>
            </div>
            <Form method="post" action={branching.action} preventScrollReset>
              <input type="hidden" name="messageId" value={variant.id} />
              <Button name="intent" value="variant" size="sm" disabled={branching.busy}>
                Use This Version
              </Button>
            </Form>
          </div>
        ))}
      </div>
    </section>
  );
}

/** With panels to compare an answer's versions. */
export function BranchMessage(props: ComponentProps<typeof MessageView>) {
  const branching = useBranching(props.message);
  const { id, variants } = props.message;
  const isCompared = branching?.opened?.panel === "variants" && branching.opened.messageId === id;
  if (!isCompared || !branching?.compared || variants.length === 0) return <MessageView {...props} />;
  return (
    <div id={id} className="scroll-mt-32">
      <ComparedVariants message={props.message} branching={branching} earlier={props.earlier} />
    </div>
  );
}
