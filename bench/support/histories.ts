// Reads Temporal's histories: events, bytes, and the number of attempts of each activity.
import type { Client, WorkflowHandle } from '@temporalio/client';

export interface ScheduledActivity {
  readonly type: string;
  readonly queue: string;
  readonly fairnessKey: string;
  /** Epoch milliseconds. */
  readonly scheduledAt: number;
  /** Of the last attempt. Null while none has ended. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** 0 while none has ended. */
  readonly attempts: number;
}

export interface Chain {
  /** Runs of the workflow. Each after the first was continued as new. */
  readonly runs: number;
  readonly startedAt: number;
  readonly events: number;
  readonly bytes: number;
  /** Workflow tasks. */
  readonly tasks: number;
  /** The process that completed the last workflow task and so has the workflow in memory: `PID@HOST`. */
  readonly carrier: string;
  readonly activities: readonly ScheduledActivity[];
}

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type Event = NonNullable<History['events']>[number];

/** Follows a workflow from its first run through every continue-as-new. */
export async function readChain(client: Client, workflowId: string, firstRunId: string): Promise<Chain> {
  let chain: Chain = {
    runs: 0,
    startedAt: Number.NaN,
    events: 0,
    bytes: 0,
    tasks: 0,
    carrier: '',
    activities: [],
  };
  let runId: string | null | undefined = firstRunId;
  while (runId) {
    const handle: WorkflowHandle = client.workflow.getHandle(workflowId, runId);
    const { historySize, startTime } = await handle.describe();
    const events: readonly Event[] = (await handle.fetchHistory()).events ?? [];
    chain = {
      runs: chain.runs + 1,
      startedAt: chain.runs === 0 ? startTime.getTime() : chain.startedAt,
      events: chain.events + events.length,
      bytes: chain.bytes + (historySize ?? 0),
      tasks: chain.tasks + events.filter((event) => event.workflowTaskStartedEventAttributes).length,
      carrier:
        events.findLast((event) => event.workflowTaskStartedEventAttributes)
          ?.workflowTaskStartedEventAttributes?.identity ?? chain.carrier,
      activities: [...chain.activities, ...activitiesOf(events)],
    };
    runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return chain;
}

function activitiesOf(events: readonly Event[]): ScheduledActivity[] {
  const byId = new Map<string, ScheduledActivity>();
  for (const event of events) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    const started = event.activityTaskStartedEventAttributes;
    const ended =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    if (scheduled) {
      byId.set(String(event.eventId), {
        type: scheduled.activityType?.name ?? '',
        queue: scheduled.taskQueue?.name ?? '',
        fairnessKey: scheduled.priority?.fairnessKey ?? '',
        scheduledAt: msOf(event),
        startedAt: null,
        endedAt: null,
        attempts: 0,
      });
    }
    const id = String((started ?? ended)?.scheduledEventId);
    const known = byId.get(id);
    if (known === undefined) continue;
    if (started) byId.set(id, { ...known, startedAt: msOf(event), attempts: started.attempt ?? 1 });
    else byId.set(id, { ...known, endedAt: msOf(event) });
  }
  return [...byId.values()];
}

function msOf({ eventTime }: Event): number {
  return Number(eventTime?.seconds ?? 0) * 1000 + (eventTime?.nanos ?? 0) / 1e6;
}
