// SPDX-License-Identifier: MIT
// Writes random answers as streams, in the events of the providers' documents, and lets the providers' own client
// libraries join them. Each line of the output has the stream and the answer that the library made of it.
// Usage: answers.mjs SEED COUNT
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

const [seed, count] = process.argv.slice(2).map(Number);
let state = seed >>> 0;
function random() { // mulberry32
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = n => Math.floor(random() * n);
const chance = p => random() < p;
const pick = list => list[below(list.length)];
const words = ['hello', ' ', '日本', '"quoted"', '\n', '\\', 'é', '😀', '</b>', '{', '}', 'data: x', '\t', 'a'.repeat(50)];
const text = (most = 8) => Array.from({length: 1 + below(most)}, () => pick(words)).join('');
function pieces(whole) { // of one or more code points
  const points = [...whole], all = [];
  while (points.length) all.push(points.splice(0, 1 + below(6)).join(''));
  return all;
}
const value = depth => {
  const kind = below(depth > 0 ? 6 : 4);
  if (kind == 0) return text();
  if (kind == 1) return below(1000);
  if (kind == 2) return chance(0.5);
  if (kind == 3) return below(100) / 8;
  if (kind == 4) return Array.from({length: below(3)}, () => value(depth - 1));
  return object(depth - 1);
};
const object = (depth = 2) => Object.fromEntries(Array.from({length: below(4)}, (_, i) => ['k' + i + pick(['', 'é', '"']), value(depth)]));

function sse(events, named) {
  let all = chance(0.1) ? ': a comment\n\n' : '';
  const end = pick(['\n', '\r\n']);
  for (const event of events) {
    if (named) all += `event: ${event.type}${end}`;
    all += `data: ${typeof event === 'string' ? event : JSON.stringify(event)}${end}${end}`;
  }
  return all;
}

const fetching = body => async () => new Response(body, {headers: {'content-type': 'text/event-stream'}});

function anthropicEvents() {
  const events = [{type: 'message_start', message: {id: 'msg_' + below(1e9), type: 'message', role: 'assistant',
    model: 'claude-x', content: [], stop_reason: null, stop_sequence: null,
    usage: {input_tokens: below(1000), cache_read_input_tokens: below(10), cache_creation_input_tokens: below(10), output_tokens: 1}}}];
  const blocks = below(5);
  let calls = false;
  for (let index = 0; index < blocks; ++index) {
    const delta = d => events.push({type: 'content_block_delta', index, delta: d});
    const start = content_block => events.push({type: 'content_block_start', index, content_block});
    const kind = below(6);
    if (kind == 0) {
      start({type: 'thinking', thinking: '', signature: ''});
      for (const piece of pieces(text())) delta({type: 'thinking_delta', thinking: piece});
      delta({type: 'signature_delta', signature: 'c2ln' + below(1000)});
    } else if (kind == 1) {
      start({type: 'redacted_thinking', data: 'aGlkZGVu' + below(1000)});
    } else if (kind == 2 || kind == 3) {
      calls ||= kind == 2;
      const type = kind == 2 ? 'tool_use' : 'server_tool_use';
      start({type, id: (kind == 2 ? 'toolu_' : 'srvtoolu_') + below(1e9), name: 'f' + below(9), input: {}});
      for (const piece of pieces(JSON.stringify(object()))) delta({type: 'input_json_delta', partial_json: piece});
    } else if (kind == 4) {
      start({type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{type: 'web_search_result', title: text(), url: 'https://example.com'}]});
    } else {
      start({type: 'text', text: ''});
      for (const piece of pieces(text())) delta({type: 'text_delta', text: piece});
    }
    events.push({type: 'content_block_stop', index});
    if (chance(0.2)) events.push({type: 'ping'});
  }
  events.push({type: 'message_delta', delta: {stop_reason: calls ? 'tool_use' : pick(['end_turn', 'max_tokens', 'stop_sequence']), stop_sequence: null},
    usage: {output_tokens: below(1000)}});
  events.push({type: 'message_stop'});
  return events;
}

async function anthropic() {
  const stream = sse(anthropicEvents(), true);
  const client = new Anthropic({apiKey: 'x', fetch: fetching(stream), maxRetries: 0});
  const whole = await client.messages.stream({model: 'claude-x', max_tokens: 1, messages: [{role: 'user', content: 'x'}]}).finalMessage();
  return {provider: 'anthropic', stream, whole};
}

function chatEvents() {
  const head = {id: 'chatcmpl-' + below(1e9), object: 'chat.completion.chunk', created: 1, model: 'gpt-x'};
  const events = [], delta = (d, more = {}) => events.push({...head, choices: [{index: 0, delta: d, finish_reason: null, ...more}]});
  delta({role: 'assistant', content: chance(0.5) ? '' : null});
  if (chance(0.7)) for (const piece of pieces(text())) delta({content: piece});
  if (chance(0.15)) for (const piece of pieces(text())) delta({refusal: piece});
  const calls = chance(0.5) ? 1 + below(3) : 0;
  const parts = Array.from({length: calls}, () => pieces(JSON.stringify(object())));
  for (let index = 0; index < calls; ++index) {
    delta({tool_calls: [{index, id: 'call_' + below(1e9), type: 'function', function: {name: 'f' + index, arguments: ''}}]});
    for (const piece of parts[index]) delta({tool_calls: [{index, function: {arguments: piece}}]});
  }
  delta({}, {finish_reason: calls ? 'tool_calls' : pick(['stop', 'length'])});
  if (chance(0.7)) {
    const prompt = below(1000);
    events.push({...head, choices: [], usage: {prompt_tokens: prompt, completion_tokens: below(100), total_tokens: 0,
      prompt_tokens_details: {cached_tokens: below(prompt + 1)}}});
  }
  return [...events, '[DONE]'];
}

async function chat() {
  const stream = sse(chatEvents(), false);
  const client = new OpenAI({apiKey: 'x', fetch: fetching(stream), maxRetries: 0});
  const running = client.chat.completions.stream({model: 'gpt-x', messages: [{role: 'user', content: 'x'}]});
  const whole = await running.finalChatCompletion();
  return {provider: 'openai_chat', stream, whole};
}

function responsesEvents() {
  const output = [], events = [];
  const head = {id: 'resp_' + below(1e9), object: 'response', created_at: 1, model: 'gpt-x', error: null, incomplete_details: null, parallel_tool_calls: true, tools: []};
  const add = event => events.push({...event, sequence_number: events.length});
  add({type: 'response.created', response: {...head, status: 'in_progress', output: []}});
  const items = below(5);
  for (let output_index = 0; output_index < items; ++output_index) {
    const kind = below(4), id = pick(['rs_', 'msg_', 'fc_']) + below(1e9);
    const place = {output_index, item_id: id};
    if (kind == 0) {
      const thoughts = Array.from({length: below(3)}, () => text());
      const item = {id, type: 'reasoning', summary: thoughts.map(t => ({type: 'summary_text', text: t})), encrypted_content: 'gAAA' + below(1000)};
      add({type: 'response.output_item.added', output_index, item: {...item, summary: []}});
      thoughts.forEach((thought, summary_index) => {
        add({...place, type: 'response.reasoning_summary_part.added', summary_index, part: {type: 'summary_text', text: ''}});
        for (const piece of pieces(thought)) add({...place, type: 'response.reasoning_summary_text.delta', summary_index, delta: piece});
      });
      add({type: 'response.output_item.done', output_index, item}), output.push(item);
    } else if (kind == 1) {
      const item = {id, type: 'function_call', status: 'completed', call_id: 'call_' + below(1e9), name: 'f', arguments: JSON.stringify(object())};
      add({type: 'response.output_item.added', output_index, item: {...item, status: 'in_progress', arguments: ''}});
      for (const piece of pieces(item.arguments)) add({...place, type: 'response.function_call_arguments.delta', delta: piece});
      add({type: 'response.output_item.done', output_index, item}), output.push(item);
    } else if (kind == 2) {
      const item = {id, type: 'web_search_call', status: 'completed', action: {type: 'search', query: text()}};
      add({type: 'response.output_item.added', output_index, item: {...item, status: 'in_progress'}});
      add({type: 'response.output_item.done', output_index, item}), output.push(item);
    } else {
      const part = chance(0.8) ? {type: 'output_text', text: text(), annotations: []} : {type: 'refusal', refusal: text()};
      const item = {id, type: 'message', role: 'assistant', status: 'completed', content: [part]};
      if (chance(0.3)) item.phase = pick(['commentary', 'final_answer']);
      add({type: 'response.output_item.added', output_index, item: {...item, status: 'in_progress', content: []}});
      const empty = part.type == 'refusal' ? {...part, refusal: ''} : {...part, text: ''};
      add({...place, type: 'response.content_part.added', content_index: 0, part: empty});
      for (const piece of pieces(part.text ?? part.refusal))
        add({...place, type: part.type == 'refusal' ? 'response.refusal.delta' : 'response.output_text.delta', content_index: 0, delta: piece, logprobs: []});
      add({type: 'response.output_item.done', output_index, item}), output.push(item);
    }
  }
  const input = below(1000);
  add({type: 'response.completed', response: {...head, status: 'completed', output,
    usage: {input_tokens: input, input_tokens_details: {cached_tokens: below(input + 1)}, output_tokens: below(100), total_tokens: 0}}});
  return events;
}

async function responses() {
  const stream = sse(responsesEvents(), true);
  const client = new OpenAI({apiKey: 'x', fetch: fetching(stream), maxRetries: 0});
  const whole = await client.responses.stream({model: 'gpt-x', input: 'x'}).finalResponse();
  return {provider: 'openai_responses', stream, whole};
}

for (let i = 0; i < count; ++i) {
  const answer = await pick([anthropic, chat, responses])();
  process.stdout.write(JSON.stringify(answer, (name, value) => name == 'parsed' ? undefined : value) + '\n'); // the library's own
}
