import { Button } from "~/ui/button";
import { formatCount } from "~/ui/format";
import { Notice } from "~/ui/notice";

interface LongPasteProps {
  pasted: string | undefined;
  /** What the field holds now. */
  content: string;
  onAttach: (file: File, rest: string) => void;
  onKeep: () => void;
}

/** Offers a long text that was pasted as a file. */
export function LongPaste({ pasted, content, onAttach, onKeep }: LongPasteProps) {
  if (pasted === undefined || !content.includes(pasted)) return null;
  const attach = () => {
    const file = new File([pasted], "pasted-text.txt", { type: "text/plain" });
    // A function, since a text may hold a replacement's patterns.
    onAttach(file, content.replace(pasted, () => "").trim());
  };
  return (
    <div role="status">
      <Notice kind="info" title={`You pasted ${formatCount(pasted.length)} characters`}>
        <div className="mt-1 flex flex-wrap gap-2">
          <Button type="button" size="sm" onClick={attach}>
            Attach as File
          </Button>
          <Button type="button" size="sm" variant="ghost" onClick={onKeep}>
            Keep as Text
          </Button>
        </div>
      </Notice>
    </div>
  );
}
