// A pipeline and one of its stages: chosen from the lists of the account once they are read, and typed before.
import { type Path, valueAt } from '../../../parts/draft/yaml-draft.ts';
import { Choice, Field, useForm } from './fields.tsx';
import type { Lists } from './lists.ts';

interface Props {
  readonly pipeline: { readonly at: Path; readonly label: string };
  readonly stage: { readonly at: Path; readonly label: string };
  /** What no choice means. */
  readonly none: string;
  readonly lists: Lists | null;
}

export function PipelineFields({ pipeline, stage, none, lists }: Props) {
  const { value } = useForm();
  const pipelines = lists?.pipelines.items ?? [];
  const chosen = valueAt(value, pipeline.at);
  const stages = pipelines.find(({ id, name }) => id === chosen || name === chosen)?.stages ?? [];
  return (
    <>
      <Picker at={pipeline.at} label={pipeline.label} none={none} items={pipelines} />
      <Picker at={stage.at} label={stage.label} none={none} items={stages} />
    </>
  );
}

interface PickerProps {
  readonly at: Path;
  readonly label: string;
  readonly none: string;
  readonly items: readonly { readonly id: number; readonly name: string | null }[];
}

function Picker({ at, label, none, items }: PickerProps) {
  const { value } = useForm();
  if (items.length === 0) return <Field at={at} kind="nameOrId" label={label} />;
  const now = valueAt(value, at);
  const options = items.map(({ id, name }) => ({
    // An entry that the file names by its id keeps it.
    value: name === null || id === now ? String(id) : name,
    label: name === null ? String(id) : `${name} (${id})`,
  }));
  return <Choice at={at} label={label} none={none} options={options} />;
}
