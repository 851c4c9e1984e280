import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import type { ModelRatings } from "../chat-choices.shared";

export function RatingTable({ ratings }: { ratings: readonly ModelRatings[] }) {
  return (
    <section>
      <h2 className="mb-2 text-md">Ratings of Answers</h2>
      <Table caption="Ratings of answers by model">
        <thead>
          <tr>
            <HeadCell>Model</HeadCell>
            <HeadCell align="right">Good</HeadCell>
            <HeadCell align="right">Bad</HeadCell>
            <HeadCell align="right">Share of good</HeadCell>
          </tr>
        </thead>
        <tbody>
          {ratings.map(({ model, up, down }) => (
            <TableRow key={model}>
              <th scope="row" className="wrap-anywhere min-w-36 px-3 py-1.5 font-normal sm:px-4">
                {model}
              </th>
              {[up, down, `${Math.round((100 * up) / (up + down))}%`].map((figure, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change
                <Cell key={at} align="right" className="tabular-nums">
                  {figure}
                </Cell>
              ))}
            </TableRow>
          ))}
        </tbody>
      </Table>
    </section>
  );
}
