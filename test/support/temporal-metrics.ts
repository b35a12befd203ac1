// Metrics of the Temporal SDK that the dashboard and the alert rules use, with their labels, as the SDK's reference
// names them. The exporter adds `_total` to counters and `_seconds` to times.
export const TEMPORAL_METRICS: Readonly<Record<string, readonly string[]>> = {
  temporal_workflow_completed_total: ['namespace', 'service_name', 'task_queue', 'workflow_type'],
  temporal_workflow_failed_total: ['namespace', 'service_name', 'task_queue', 'workflow_type'],
  temporal_worker_task_slots_used: ['namespace', 'service_name', 'task_queue', 'worker_type'],
  temporal_activity_schedule_to_start_latency_seconds_bucket: [
    'namespace',
    'service_name',
    'task_queue',
    'le',
  ],
  temporal_long_request_total: ['namespace', 'operation', 'service_name'],
  temporal_long_request_failure_total: ['namespace', 'operation', 'service_name'],
};
