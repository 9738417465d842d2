//go:build !purego

#include "textflag.h"

DATA half<>+0(SB)/4, $8192
GLOBL half<>(SB), RODATA|NOPTR, $4

// PAIR adds 16 columns of two rows, times their weights in Y15, to two sums.
#define PAIR(at, sumA, sumB) \
	VMOVDQU    at(R9), X8           \
	VMOVDQU    at(R9)(R8*1), X9     \
	VPUNPCKLBW X9, X8, X10          \
	VPUNPCKHBW X9, X8, X11          \
	VPMOVZXBW  X10, Y10             \
	VPMOVZXBW  X11, Y11             \
	VPMADDWD   Y15, Y10, Y10        \
	VPMADDWD   Y15, Y11, Y11        \
	VPADDD     Y10, sumA, sumA      \
	VPADDD     Y11, sumB, sumB

// PUT rounds two sums to bytes.
#define PUT(at, sumA, sumB, x) \
	VPSRAD       $14, sumA, sumA    \
	VPSRAD       $14, sumB, sumB    \
	VPACKSSDW    sumB, sumA, sumA   \
	VPERMQ       $0xd8, sumA, sumA  \
	VEXTRACTI128 $1, sumA, X8       \
	VPACKUSWB    X8, x, x           \
	VMOVDQU      x, at(DI)

// func sumAVX2(dst, src *byte, stride int, weights *int16, pairs, n int)
//
// n is a multiple of 16. 64 columns at a time, and 16 for the rest.
TEXT ·sumAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ weights+24(FP), R11
	MOVQ pairs+32(FP), R12
	MOVQ n+40(FP), CX
	VPBROADCASTD half<>(SB), Y14

wide:
	CMPQ CX, $64
	JLT  narrow
	VMOVDQA Y14, Y0
	VMOVDQA Y14, Y1
	VMOVDQA Y14, Y2
	VMOVDQA Y14, Y3
	VMOVDQA Y14, Y4
	VMOVDQA Y14, Y5
	VMOVDQA Y14, Y6
	VMOVDQA Y14, Y7
	MOVQ SI, R9
	MOVQ R11, R10
	MOVQ R12, DX

wideNext:
	VPBROADCASTD (R10), Y15
	PAIR(0, Y0, Y1)
	PAIR(16, Y2, Y3)
	PAIR(32, Y4, Y5)
	PAIR(48, Y6, Y7)
	LEAQ (R9)(R8*2), R9
	ADDQ $4, R10
	DECQ DX
	JNZ  wideNext
	PUT(0, Y0, Y1, X0)
	PUT(16, Y2, Y3, X2)
	PUT(32, Y4, Y5, X4)
	PUT(48, Y6, Y7, X6)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $64, CX
	JMP  wide

narrow:
	TESTQ CX, CX
	JZ    done
	VMOVDQA Y14, Y0
	VMOVDQA Y14, Y1
	MOVQ SI, R9
	MOVQ R11, R10
	MOVQ R12, DX

narrowNext:
	VPBROADCASTD (R10), Y15
	PAIR(0, Y0, Y1)
	LEAQ (R9)(R8*2), R9
	ADDQ $4, R10
	DECQ DX
	JNZ  narrowNext
	PUT(0, Y0, Y1, X0)
	ADDQ $16, SI
	ADDQ $16, DI
	SUBQ $16, CX
	JMP  narrow

done:
	VZEROUPPER
	RET

DATA dct<>+0(SB)/4, $0.707106781
DATA dct<>+4(SB)/4, $0.382683433
DATA dct<>+8(SB)/4, $0.541196100
DATA dct<>+12(SB)/4, $1.306562965
DATA dct<>+16(SB)/4, $128.0
GLOBL dct<>(SB), RODATA|NOPTR, $20

#define LOAD(reg) \
	VPMOVZXBD (SI), reg    \
	VCVTDQ2PS reg, reg     \
	VSUBPS    Y15, reg, reg \
	ADDQ      R8, SI

// DCT transforms the columns of Y0…Y7: the steps of cosines in transform.go.
#define DCT \
	VBROADCASTSS dct<>+0(SB), Y12  \
	VBROADCASTSS dct<>+4(SB), Y13  \
	VBROADCASTSS dct<>+8(SB), Y14  \
	VBROADCASTSS dct<>+12(SB), Y15 \
	VADDPS Y7, Y0, Y8   \
	VSUBPS Y7, Y0, Y7   \
	VADDPS Y6, Y1, Y9   \
	VSUBPS Y6, Y1, Y6   \
	VADDPS Y5, Y2, Y10  \
	VSUBPS Y5, Y2, Y5   \
	VADDPS Y4, Y3, Y11  \
	VSUBPS Y4, Y3, Y4   \
	VADDPS Y11, Y8, Y0  \
	VSUBPS Y11, Y8, Y1  \
	VADDPS Y10, Y9, Y2  \
	VSUBPS Y10, Y9, Y3  \
	VADDPS Y2, Y0, Y8   \
	VSUBPS Y2, Y0, Y9   \
	VADDPS Y1, Y3, Y3   \
	VMULPS Y12, Y3, Y3  \
	VADDPS Y3, Y1, Y10  \
	VSUBPS Y3, Y1, Y11  \
	VADDPS Y5, Y4, Y4   \
	VADDPS Y6, Y5, Y5   \
	VADDPS Y7, Y6, Y6   \
	VSUBPS Y6, Y4, Y0   \
	VMULPS Y13, Y0, Y0  \
	VMULPS Y14, Y4, Y4  \
	VADDPS Y0, Y4, Y4   \
	VMULPS Y15, Y6, Y6  \
	VADDPS Y0, Y6, Y6   \
	VMULPS Y12, Y5, Y5  \
	VADDPS Y5, Y7, Y0   \
	VSUBPS Y5, Y7, Y1   \
	VADDPS Y4, Y1, Y5   \
	VSUBPS Y4, Y1, Y3   \
	VADDPS Y6, Y0, Y1   \
	VSUBPS Y6, Y0, Y7   \
	VMOVAPS Y8, Y0      \
	VMOVAPS Y10, Y2     \
	VMOVAPS Y9, Y4      \
	VMOVAPS Y11, Y6

#define TURN \
	VUNPCKLPS Y1, Y0, Y8   \
	VUNPCKHPS Y1, Y0, Y9   \
	VUNPCKLPS Y3, Y2, Y10  \
	VUNPCKHPS Y3, Y2, Y11  \
	VUNPCKLPS Y5, Y4, Y12  \
	VUNPCKHPS Y5, Y4, Y13  \
	VUNPCKLPS Y7, Y6, Y14  \
	VUNPCKHPS Y7, Y6, Y15  \
	VSHUFPS $0x44, Y10, Y8, Y0  \
	VSHUFPS $0xee, Y10, Y8, Y1  \
	VSHUFPS $0x44, Y11, Y9, Y2  \
	VSHUFPS $0xee, Y11, Y9, Y3  \
	VSHUFPS $0x44, Y14, Y12, Y4 \
	VSHUFPS $0xee, Y14, Y12, Y5 \
	VSHUFPS $0x44, Y15, Y13, Y6 \
	VSHUFPS $0xee, Y15, Y13, Y7 \
	VPERM2F128 $0x20, Y4, Y0, Y8  \
	VPERM2F128 $0x31, Y4, Y0, Y4  \
	VPERM2F128 $0x20, Y5, Y1, Y9  \
	VPERM2F128 $0x31, Y5, Y1, Y5  \
	VPERM2F128 $0x20, Y6, Y2, Y10 \
	VPERM2F128 $0x31, Y6, Y2, Y6  \
	VPERM2F128 $0x20, Y7, Y3, Y11 \
	VPERM2F128 $0x31, Y7, Y3, Y7  \
	VMOVAPS Y8, Y0  \
	VMOVAPS Y9, Y1  \
	VMOVAPS Y10, Y2 \
	VMOVAPS Y11, Y3

// QUANTIZE stores two rows and leaves a bit for each number that is not zero.
#define QUANTIZE(at, a, b, mask) \
	VMULPS     (2*at)(DX), a, a      \
	VMULPS     (2*at+32)(DX), b, b   \
	VCVTPS2DQ  a, a                  \
	VCVTPS2DQ  b, b                  \
	VPACKSSDW  b, a, a               \
	VPERMQ     $0xd8, a, a           \
	VMOVDQU    a, at(DI)             \
	VPCMPEQW   Y8, a, mask

// func transformAVX2(out *[64]int16, src *byte, stride int, scale *[64]float32) uint64
TEXT ·transformAVX2(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ scale+24(FP), DX
	VBROADCASTSS dct<>+16(SB), Y15
	LOAD(Y0)
	LOAD(Y1)
	LOAD(Y2)
	LOAD(Y3)
	LOAD(Y4)
	LOAD(Y5)
	LOAD(Y6)
	LOAD(Y7)
	DCT
	TURN
	DCT
	VPXOR Y8, Y8, Y8
	QUANTIZE(0, Y0, Y1, Y9)
	QUANTIZE(32, Y2, Y3, Y10)
	QUANTIZE(64, Y4, Y5, Y11)
	QUANTIZE(96, Y6, Y7, Y12)
	VPACKSSWB Y10, Y9, Y9
	VPACKSSWB Y12, Y11, Y11
	VPERMQ    $0xd8, Y9, Y9
	VPERMQ    $0xd8, Y11, Y11
	VPMOVMSKB Y9, AX
	VPMOVMSKB Y11, BX
	SHLQ $32, BX
	ORQ  BX, AX
	NOTQ AX
	MOVQ AX, ret+32(FP)
	VZEROUPPER
	RET

// PAIRS interleaves two rows, one from R9 and one 8 rows below it from R10, and
// goes on to the next.
#define PAIRS(x) \
	VMOVQ (R9), x              \
	VMOVQ (R10), X15           \
	VPUNPCKLBW X15, x, x       \
	ADDQ R8, R9                \
	ADDQ R8, R10

// func transposeAVX2(dst *byte, to int, src *byte, from, n int)
//
// Rows are interleaved four times: each with the one 8 rows below, then 4, 2 and 1.
TEXT ·transposeAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ to+8(FP), DX
	MOVQ src+16(FP), SI
	MOVQ from+24(FP), R8
	MOVQ n+32(FP), CX

transposeNext:
	MOVQ SI, R9
	LEAQ (SI)(R8*8), R10
	PAIRS(X0)
	PAIRS(X1)
	PAIRS(X2)
	PAIRS(X3)
	PAIRS(X4)
	PAIRS(X5)
	PAIRS(X6)
	PAIRS(X7)
	VPUNPCKLBW X4, X0, X8
	VPUNPCKHBW X4, X0, X9
	VPUNPCKLBW X5, X1, X10
	VPUNPCKHBW X5, X1, X11
	VPUNPCKLBW X6, X2, X12
	VPUNPCKHBW X6, X2, X13
	VPUNPCKLBW X7, X3, X14
	VPUNPCKHBW X7, X3, X15
	VPUNPCKLBW X12, X8, X0
	VPUNPCKHBW X12, X8, X1
	VPUNPCKLBW X14, X10, X2
	VPUNPCKHBW X14, X10, X3
	VPUNPCKLBW X13, X9, X4
	VPUNPCKHBW X13, X9, X5
	VPUNPCKLBW X15, X11, X6
	VPUNPCKHBW X15, X11, X7
	VPUNPCKLBW X2, X0, X8
	VPUNPCKHBW X2, X0, X9
	VPUNPCKLBW X3, X1, X10
	VPUNPCKHBW X3, X1, X11
	VPUNPCKLBW X6, X4, X12
	VPUNPCKHBW X6, X4, X13
	VPUNPCKLBW X7, X5, X14
	VPUNPCKHBW X7, X5, X15
	LEAQ (DI)(DX*2), R9
	LEAQ (DI)(DX*4), R10
	LEAQ (R9)(DX*4), R11
	VMOVDQU X8, (DI)
	VMOVDQU X9, (DI)(DX*1)
	VMOVDQU X10, (R9)
	VMOVDQU X11, (R9)(DX*1)
	VMOVDQU X12, (R10)
	VMOVDQU X13, (R10)(DX*1)
	VMOVDQU X14, (R11)
	VMOVDQU X15, (R11)(DX*1)
	LEAQ (DI)(DX*8), DI
	ADDQ $8, SI
	DECQ CX
	JNZ  transposeNext
	RET
