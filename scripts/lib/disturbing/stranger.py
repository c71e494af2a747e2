"""A peer of the farm that means harm, or is merely wrong. It has a listed key, and uses libzmq, which the farm has anyway."""

import ctypes
import os
import pathlib
import sys
import time

DEALER = 5
# These numbers are those of zmq.h.
LINGER, ROUTING_ID, CURVE_PUBLICKEY, CURVE_SECRETKEY, CURVE_SERVERKEY, HEARTBEAT_IVL = 17, 5, 48, 49, 50, 75
DONTWAIT, SNDMORE = 1, 2


def library():
    zmq = ctypes.CDLL("libzmq.so.5")
    zmq.zmq_ctx_new.restype = zmq.zmq_socket.restype = ctypes.c_void_p
    zmq.zmq_socket.argtypes = [ctypes.c_void_p, ctypes.c_int]
    zmq.zmq_setsockopt.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
    zmq.zmq_connect.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    zmq.zmq_send.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    return zmq


class Peer:
    """A connection under a routing id of its choice. It pings, which the farm's own connections do not."""

    def __init__(self, zmq, context, keys, name, routing_id, endpoint):
        self.zmq, self.socket = zmq, zmq.zmq_socket(context, DEALER)
        public, secret, server = ((keys / part).read_text().split()[0].encode() for part in (f"{name}.pub", name, "coordinator.pub"))
        values = {
            LINGER: number(0), HEARTBEAT_IVL: number(200), ROUTING_ID: routing_id.encode(),
            CURVE_PUBLICKEY: public, CURVE_SECRETKEY: secret, CURVE_SERVERKEY: server}
        for option, value in values.items():
            assert zmq.zmq_setsockopt(self.socket, option, value, len(value)) == 0, option
        assert zmq.zmq_connect(self.socket, endpoint.encode()) == 0, endpoint

    def send(self, count):
        """Sends messages that mean nothing, and returns how many were taken."""
        for sent in range(count):
            if self.zmq.zmq_send(self.socket, b"spool/5", 7, SNDMORE | DONTWAIT) < 0:
                return sent
            self.zmq.zmq_send(self.socket, b'{"heartbeat":1}', 15, DONTWAIT)
        return count


def number(value):
    return value.to_bytes(4, "little")


def fill(connect):
    """Sends more than any queue holds, until it is killed."""
    peer, left = connect(), 50_000
    while True:
        left -= peer.send(left)
        time.sleep(0.01 if left else 0.5)


def double(connect):
    """Makes two connections under a name that a worker may have. The first one goes on when the second has taken the name."""
    first, second = connect(), None
    for step in range(40):
        if step == 10:
            second = connect()
        for peer in (first, second):
            if peer:
                peer.send(5)
        time.sleep(0.05)


def main():
    """Runs as a process of its own, which may be killed: stranger.py KEYS NAME ROUTING-ID ENDPOINT fill|double."""
    keys, name, routing_id, endpoint, what = sys.argv[1:]
    zmq = library()
    context = zmq.zmq_ctx_new()
    {"fill": fill, "double": double}[what](lambda: Peer(zmq, context, pathlib.Path(keys), name, routing_id, endpoint))
    os._exit(0)  # The connections break without a goodbye.


if __name__ == "__main__":
    main()
