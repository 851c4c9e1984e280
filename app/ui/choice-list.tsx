import { Checkbox } from "./choice";
import { ScrollRegion } from "./scroll-region";

interface ChoiceListProps {
  label: string;
  name: string;
  options: readonly { id: string; name: string; hint?: string | undefined }[];
  chosen: readonly unknown[];
  empty: string;
}

export function ChoiceList({ label, name, options, chosen, empty }: ChoiceListProps) {
  if (options.length === 0) return <p className="text-muted text-xs">{empty}</p>;
  return (
    <ScrollRegion
      label={label}
      className="grid max-h-52 gap-x-4 overflow-y-auto rounded-md border border-line px-3 py-1 sm:grid-cols-2"
    >
      {options.map((option) => (
        <Checkbox
          key={option.id}
          name={name}
          value={option.id}
          defaultChecked={chosen.includes(option.id)}
          label={<span className="wrap-anywhere">{option.name}</span>}
          hint={option.hint}
        />
      ))}
    </ScrollRegion>
  );
}
