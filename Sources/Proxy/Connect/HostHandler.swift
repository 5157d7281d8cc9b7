internal import Captures
internal import NIOCore

/// Gives the requests of a client that knows the provider by our name the provider's.
///
/// Carries out what ``ReverseStateMachine`` decides. Sits before the client's ``TeeHandler``, which sees the requests
/// as the provider will.
final class HostHandler: ChannelDuplexHandler, RemovableChannelHandler, WaitingHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: ProxyContext
    private let tee: Tee
    private(set) var context: ChannelHandlerContext?
    private var machine: ReverseStateMachine
    private var isReadPending = false
    private var isAnswered = false
    var deadline: Scheduled<Void>?

    init(proxy: ProxyContext, tee: Tee, listener: ReverseListener, isClientInTLS: Bool) {
        self.proxy = proxy
        self.tee = tee
        machine = ReverseStateMachine(
            listener: listener,
            isClientInTLS: isClientInTLS,
            maximumHeadBytes: proxy.configuration.limits.headBytes
        )
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        tee.whenIdle = { [weak self] in self?.resume() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After an answer the rest is read and dropped, so that closing does not take the answer with it.
        guard !isAnswered else { return }
        machine.received(unwrapInboundIn(data))
        carryOut()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if !isAnswered { watchHead() }
    }

    func read(context: ChannelHandlerContext) {
        if machine.isWaitingForAnswers, !isAnswered { isReadPending = true } else { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed as ChannelEvent where !isAnswered:
            machine.inputClosed()
            resume()
        case is StopRecording: handOnRest()
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        handOnRest()
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        handOnRest()
        context.fireChannelInactive()
    }

    /// Nothing comes any more, and nothing is read: what is held is to be in the capture, before the tee learns of the end.
    private func handOnRest() {
        guard !isAnswered else { return }
        machine.inputClosed()
        carryOut()
    }

    /// There are answers.
    private func resume() {
        guard let context, !isAnswered else { return }
        carryOut()
        context.fireChannelReadComplete()
        if isReadPending, !machine.isWaitingForAnswers || isAnswered {
            isReadPending = false
            context.read()
        }
    }

    private func carryOut() {
        while !isAnswered, let context, let action = machine.next(answers) {
            switch action {
            case .pass(let bytes): context.fireChannelRead(wrapInboundOut(bytes))
            case .refuse(let refusal, let bytes): answer(refusal, to: bytes)
            }
        }
    }

    private var answers: ReverseStateMachine.Answers {
        ReverseStateMachine.Answers(
            areComplete: tee.isIdle,
            isUpgraded: tee.isUpgraded,
            areUnreadable: tee.hasLostTheThread,
            mayLackBody: tee.mayLackBody
        )
    }

    private func watchHead() {
        watchHead(isInside: machine.isInsideHead, within: proxy.configuration.limits.headTime) { [self] in
            guard machine.isInsideHead, !tee.hasLostTheThread else { return }
            // The time that an answer takes is not the client's.
            guard tee.isIdle else { return watchHead() }
            answer(.late, to: ByteBuffer())
        }
    }

    private func answer(_ refusal: ProxyRequest.Refusal, to bytes: ByteBuffer) {
        guard let context else { return }
        isAnswered = true
        tee.refuse(bytes, refusal.failure)
        deadline?.cancel()
        deadline = context.writeLast(
            PlainResponse.unusable(refusal).bytes(),
            lingering: proxy.configuration.limits.lingerTime
        )
        if isReadPending { context.read() }
    }
}
