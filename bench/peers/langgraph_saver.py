# SPDX-License-Identifier: MIT
"""The operations of run.py with LangGraph's SqliteSaver: each append is an `update_state` of a graph with messages, and
stores the whole state. As it comes it flushes each append (synchronous = FULL); `append` sets NORMAL. A list is a list
of checkpoints, one a thread here. A host that compacts keeps the newest messages in the state, so `make_history` does."""
import json
import os
import sqlite3
import time

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph

import peer

BEFORE = 500  # messages in the state before an append is measured


def message(number, text):
    return (HumanMessage if peer.role(number) == "user" else AIMessage)(text)


def open_saver(target, synchronous):
    base = sqlite3.connect(target, check_same_thread=False)
    saver = SqliteSaver(base)
    saver.setup()
    base.execute("PRAGMA synchronous=" + synchronous)
    return saver


def graph_of(saver):
    graph = StateGraph(MessagesState)
    graph.add_node("chat", lambda state: {"messages": []})
    graph.add_edge(START, "chat")
    graph.add_edge("chat", END)
    return graph.compile(checkpointer=saver)


def thread(name=peer.SESSION):
    return {"configurable": {"thread_id": name}}


def put(graph, messages, where):
    graph.update_state(where, {"messages": messages}, as_node="chat")


def append_as(target, count, text, synchronous):
    graph = graph_of(open_saver(os.path.join(target, "langgraph.db"), synchronous))
    put(graph, [message(number, text) for number in range(BEFORE)], thread())
    begin = time.perf_counter()
    for _ in range(count):
        put(graph, [message(0, text)], thread())
    return begin, count


def append(target, count, size, text):
    return append_as(target, count, text, "NORMAL")


def append_durable(target, count, size, text):
    return append_as(target, count, text, "FULL")


def body_of(graph):
    messages = graph.get_state(thread()).values["messages"]
    return len(json.dumps([{"role": "user" if each.type == "human" else "assistant", "content": each.content}
                           for each in messages], ensure_ascii=False))


def history(target, count, size, text):
    begin = time.perf_counter()
    return begin, body_of(graph_of(open_saver(target, "NORMAL")))


def following(target, count, size, text):
    graph = graph_of(open_saver(target, "NORMAL"))
    body_of(graph)
    put(graph, [message(0, text)], thread())
    begin = time.perf_counter()
    return begin, body_of(graph)


def make_history(target, count, size, text):
    begin = time.perf_counter()
    put(graph_of(open_saver(target, "OFF")), [message(number, text) for number in range(size or count)], thread())
    return begin, count


def make_list(target, count, size, text):
    begin = time.perf_counter()
    saver = open_saver(target, "OFF")
    graph = graph_of(saver)
    for number in range(count):
        put(graph, [message(each, text) for each in range(size)], thread("session-%d" % number))
    saver.conn.close()
    return begin, count


def checkpoints(target, count, size, text):
    begin = time.perf_counter()
    return begin, sum(1 for _ in open_saver(target, "NORMAL").list(None, limit=count or None))


peer.run({"append": append, "append_durable": append_durable, "history": history, "next": following,
          "make_history": make_history, "make_list": make_list, "list": checkpoints})
