import { Card } from "~/ui/card";
import { CopyButton } from "~/ui/copy-button";
import { ScrollRegion } from "~/ui/scroll-region";

/** What all models were asked. A long prompt scrolls in itself: the answers are what people came for. */
export function PromptCard({ prompt }: { prompt: string }) {
  return (
    <Card title="Prompt" actions={<CopyButton text={prompt} label="Copy prompt" />}>
      <ScrollRegion label="Prompt" className="max-h-48 overflow-y-auto">
        <p className="wrap-anywhere whitespace-pre-wrap text-sm leading-6">{prompt}</p>
      </ScrollRegion>
    </Card>
  );
}
