import { Badge } from "./badge";

/** Example data, shown until there is real data. */
export function Sample() {
  return <Badge className="border border-line">Sample</Badge>;
}
