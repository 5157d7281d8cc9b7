/// What the two ends of a connection say, and what is made of it.
extension ConversationTests {
    static let scripts: [Script] = [
        Script(testDescription: "length") {
            [.client(get), .server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")]
        },
        Script(testDescription: "chunked with extension and trailers") {
            [
                .client(
                    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n"
                ),
                .server(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\nX-Check: 2\r\n\r\n"
                ),
            ]
        },
        Script(testDescription: "pipelined requests, answers in order") {
            [
                .client(get + get.replacing("/a", with: "/b") + get.replacing("/a", with: "/c")),
                .server(
                    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n3"
                ),
            ]
        },
        Script(testDescription: "100 and 103 before the answer") {
            [
                .client("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"),
                .server("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
                .client("abc"),
                .server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            ]
        },
        Script(testDescription: "a refusal instead of 100, then the next request") {
            [
                .client(held), .server("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"),
                .client(get + held.replacing("Content-Length: 3", with: "Transfer-Encoding: chunked")),
                .server(
                    "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"
                ),
                .client(get), .server("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
            ]
        },
        Script(testDescription: "a refusal instead of 100, and the body nonetheless") {
            [
                .client(held), .server("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"),
                .client("a=b" + get), .server("HTTP/1.1 204 No Content\r\n\r\n"),
                .client(held.replacing("Content-Length: 3", with: "Transfer-Encoding: chunked")),
                .server("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"),
                .client("3\r\nabc\r\n0\r\n\r\n" + get),
                .server("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
            ]
        },
        Script(testDescription: "a refusal instead of 100, and a body in capitals") {
            [
                .client(held), .server("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"),
                .client("ABC" + get), .server("HTTP/1.1 204 No Content\r\n\r\n"),
            ]
        },
        Script(testDescription: "HEAD, 304, then a body") {
            [
                .client(get.replacing("GET", with: "HEAD") + get + get),
                .server(
                    "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
                ),
            ]
        },
        Script(testDescription: "body up to the end of the connection") {
            [.client(get), .server("HTTP/1.0 200 OK\r\n\r\nall of it"), .serverEnds]
        },
        Script(testDescription: "bare line feeds and empty lines between messages") {
            [
                .client("\r\n\r\nGET / HTTP/1.1\nHost: x\n\n"),
                .server("\r\nHTTP/1.1 200 OK\nContent-Length: 2\n\nok"),
            ]
        },
        Script(testDescription: "a timeout on an idle connection") {
            [
                .client(get), .server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
                .server("HTTP/1.0 408 Request Time-out\r\nConnection: close\r\n\r\n<html>late</html>\n"),
                .serverEnds,
            ]
        },
        Script(testDescription: "a timeout in the middle of a head") {
            [
                .client("GET / HT"), .server("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"),
                .serverEnds,
            ]
        },
        Script(testDescription: "broken chunk") {
            [
                .client(get),
                .server("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n"),
            ]
        },
        Script(testDescription: "lengths that contradict") {
            [
                .client(get),
                .server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
                .serverEnds,
            ]
        },
        Script(testDescription: "both length and chunks") {
            [
                .client(get),
                .server(
                    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
                ),
            ]
        },
        Script(testDescription: "garbage from the client") {
            [.client("\u{1}\u{2}garbage"), .server("HTTP/1.1 400 Bad Request\r\n\r\n")]
        },
        Script(testDescription: "a request that is longer than it says") {
            [
                .client("POST /token HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{\"a\":\"é\"}"),
                .server("HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno"),
                .server("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
            ]
        },
        Script(testDescription: "a broken chunk of the request") {
            [
                .client(get),
                .client("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n"),
                .server("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
                .server("HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno"), .serverEnds,
            ]
        },
        Script(testDescription: "garbage from the server") {
            [.client(get), .server("220 smtp.example ESMTP\r\n")]
        },
        Script(testDescription: "websocket") {
            [
                .client("GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
                .server("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\u{1}\u{2}"),
                .client("\u{3}"),
            ]
        },
        Script(testDescription: "a client that does not wait for its websocket") {
            [
                .client(
                    "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\u{1}\u{2}"
                ),
                .server("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\u{1}\u{2}"),
            ]
        },
        Script(testDescription: "answer cut off") {
            [
                .client(get), .server("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhel"),
                .serverBreaks("connection reset"),
            ]
        },
        Script(testDescription: "client gone") {
            [.client(get), .clientBreaks("the client closed the connection")]
        },
        Script(testDescription: "answer before the request is whole") {
            [
                .client("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc"),
                .server("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"),
                .client("def" + get), .server("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
            ]
        },
    ]
}
