// The files that `sluice init` writes. sluice.yaml, the sandbox's fixture and the sample fit together: change them as
// one.
import { parseDocument } from 'yaml';
import type { PreviewNames } from '../../recognize/index.ts';

/** A token of the sandbox only: sandbox.yaml below defines it. */
export const INIT_TOKEN = 'svc_test_local';

export const SLUICE_YAML = `# yaml-language-server: $schema=./sluice.schema.json
# Sluice reads this file. Check it with: npx sluice config check
version: 1

# Instances of the service that Sluice talks to.
accounts:
  acme:
    # The sandbox on this machine. For the real service: https://your-instance/wapi
    baseUrl: http://127.0.0.1:4010/wapi
    # A secret never stands in this file: env:NAME reads a variable, file:path a file.
    tokens: [env:ACME_TOKEN]
    # Campaigns go by it where the time zone of a contact is not known.
    timeZone: America/Sao_Paulo

# Where records come from. Paths are relative to this file.
sources:
  crm-export:
    type: csv
    path: data/leads.csv

# How a row becomes a contact, its tags and its card.
mappings:
  crm-leads:
    # Numbers without a country code are taken as numbers of this country.
    defaultCountry: BR
    contact:
      # A text is a column of the source…
      number: Phone
      # …a list takes the first column that is not empty…
      name: [Nickname, Name]
      email: E-mail
    tags:
      # …and the long form can do more: this one yields several tags out of one column.
      - { path: Tags, split: ';' }
    extraInfo:
      # With {{…}} a text is a template.
      origin: 'CRM lead {{Id}}'
    card:
      pipeline: Sales
      # No card for rows where this is empty, no or 0.
      when: Wants a call
      stage:
        path: Status
        # From the words of the CRM to the stages of the pipeline.
        map: { new: New, talking: In contact }
        default: New

# What is synced where.
syncs:
  leads:
    account: acme
    source: crm-export
    mapping: crm-leads
    # merge keeps tags that people set; replace makes the list exactly the mapped one.
    tags: merge

# A campaign: a published flow for each of an audience, in waves, inside the windows. Take the # away to try it, then:
# npx sluice campaign plan win-back
# campaigns:
#   win-back:
#     account: acme
#     flow: 1
#     connection: 1
#     variables: { name: contact.name }
#     audience: [{ from: contacts, tags: [newsletter] }]
#     windows:
#       days: { mon: [09:00-18:00], tue: [09:00-18:00], wed: [09:00-18:00], thu: [09:00-18:00], fri: [09:00-18:00] }
#     stop: { failed: 0.1 }
`;

export const LEADS_CSV = `Id,Name,Nickname,Phone,E-mail,Tags,Status,Wants a call
1,Ana Exemplo,,(11) 91234-5601,ana@example.com,newsletter,new,yes
2,Bruno Exemplo,Bru,+55 21 91234-5602,bruno@example.com,newsletter;vip,talking,yes
3,Carla Exemplo,,11 91234-5603,,,new,no
4,Davi Exemplo,,not a number,davi@example.com,vip,new,yes
`;

export const SANDBOX_YAML = `# The initial data of the sandbox: npx sluice sandbox --port 4010 --fixture sandbox.yaml
# It is applied once; remove the sandbox's data folder to start over.
accounts:
  - id: acme
    defaultConnectionId: 1
    tokens:
      - value: ${INIT_TOKEN}
        scopes: [contacts:write, cards:write, connections:read, conversations:read, messages:read, messages:send, flows:trigger]
    connections: [{ id: 1, name: main, channel: waba, status: CONNECTED, isDefault: true }]
    tags:
      - { id: 1, name: newsletter, color: '#2266cc' }
      - { id: 2, name: vip, color: '#cc2222' }
    flows: [{ id: 1, name: win back, active: true, published: true, nodes: 3 }]
    pipelines:
      - id: 1
        name: Sales
        stages:
          - { id: 11, name: New, order: 1, probability: 10 }
          - { id: 12, name: In contact, order: 2, probability: 40 }
          - { id: 13, name: Won, order: 3, probability: 100, isFinal: true, isWon: true }
          - { id: 14, name: Lost, order: 4, probability: 0, isFinal: true, isWon: false }
`;

/** The same sandbox with everything that the rows of an export name. */
export function sandboxYaml({ tags, pipelines, stages, customFields }: PreviewNames): string {
  const fixture = parseDocument(SANDBOX_YAML);
  const at = (...path: (string | number)[]) => ['accounts', 0, ...path];
  fixture.setIn(
    at('tags'),
    tags.map((name, index) => ({ id: index + 1, name, color: '#2266cc' })),
  );
  // The API lists no origins: a mapping names them by id.
  fixture.setIn(
    at('sources'),
    [1, 2, 3].map((id) => ({ id, name: `origin ${id}` })),
  );
  if (pipelines.length === 0) return fixture.toString({ lineWidth: 0 });
  fixture.setIn(
    at('pipelines'),
    pipelines.map((name, index) => ({
      id: index + 1,
      name,
      stages: stages.map((stage, order) => ({
        id: (index + 1) * 100 + order,
        name: stage,
        order: order + 1,
      })),
    })),
  );
  fixture.setIn(
    at('customFields'),
    Object.entries(customFields).map(([name, type]) => ({ name, type, pipelineId: null })),
  );
  return fixture.toString({ lineWidth: 0 });
}

export const ENV_EXAMPLE = `# Secrets that sluice.yaml refers to. Copy to .env (never into version control), then load it before npx sluice:
#   set -a; . ./.env; set +a
# The value below is a token of the sandbox; the real one begins with svc_live_ or svc_test_.
ACME_TOKEN=${INIT_TOKEN}
`;

/** Customer data, secrets and state stay out of git. */
export const GIT_IGNORE = `node_modules/
# State of Sluice, and secrets.
.sluice/
.env
# Data of customers: exports, uploads, and what sinks write.
data/
*.csv
*.jsonl
# Rows that CI plans with are made up.
!ci/*.csv
`;
