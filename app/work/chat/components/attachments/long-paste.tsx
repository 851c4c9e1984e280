import { Button } from "~/ui/button";
import { formatCount } from "~/ui/format";
import { Notice } from "~/ui/notice";

interface LongPasteProps {
  pasted: string | undefined;
  content: string;
  onAttach: (file: File, rest: string) => void;
  onKeep: () => void;
}

export function LongPaste({ pasted, content, onAttach, onKeep }: LongPasteProps) {
  if (pasted === undefined || !content.includes(pasted)) return null;
  const attach = () => {
    const file = new File([pasted], "pasted-text.txt", { type: "text/plain" });
    // A function, since the text may contain replacement patterns.
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
