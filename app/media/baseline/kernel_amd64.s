//go:build !purego

#include "textflag.h"

DATA factors<>+0(SB)/4, $1.414213562
DATA factors<>+4(SB)/4, $1.847759065
DATA factors<>+8(SB)/4, $1.082392200
DATA factors<>+12(SB)/4, $2.613125930
GLOBL factors<>(SB), RODATA|NOPTR, $16

DATA middle<>+0(SB)/4, $0x00800080
GLOBL middle<>(SB), RODATA|NOPTR, $4

// LOAD takes 8 numbers, undoes their quantization, adds their absolute values to
// Y15, and scales them.
#define LOAD(i, y) \
	VPMOVSXWD (16*i)(SI), y       \
	VPMULLD   (32*i)(DX), y, y    \
	VPABSD    y, Y14              \
	VPADDD    Y14, Y15, Y15       \
	VCVTDQ2PS y, y                \
	VMULPS    (32*i)(CX), y, y

// COSINES is cosines for 8 columns at once, in Y0 to Y7.
#define COSINES \
	VBROADCASTSS factors<>+0(SB), Y9 \
	VADDPS Y4, Y0, Y8   \
	VSUBPS Y4, Y0, Y0   \
	VADDPS Y6, Y2, Y4   \
	VSUBPS Y6, Y2, Y2   \
	VMULPS Y9, Y2, Y2   \
	VSUBPS Y4, Y2, Y2   \
	VADDPS Y4, Y8, Y6   \
	VSUBPS Y4, Y8, Y8   \
	VADDPS Y2, Y0, Y4   \
	VSUBPS Y2, Y0, Y0   \
	VADDPS Y3, Y5, Y10  \
	VSUBPS Y3, Y5, Y11  \
	VADDPS Y7, Y1, Y12  \
	VSUBPS Y7, Y1, Y13  \
	VADDPS Y10, Y12, Y7 \
	VSUBPS Y10, Y12, Y12 \
	VMULPS Y9, Y12, Y12 \
	VBROADCASTSS factors<>+4(SB), Y9 \
	VADDPS Y13, Y11, Y14 \
	VMULPS Y9, Y14, Y14 \
	VBROADCASTSS factors<>+8(SB), Y9 \
	VMULPS Y9, Y13, Y13 \
	VSUBPS Y13, Y14, Y13 \
	VBROADCASTSS factors<>+12(SB), Y9 \
	VMULPS Y9, Y11, Y11 \
	VSUBPS Y11, Y14, Y11 \
	VSUBPS Y7, Y11, Y11 \
	VSUBPS Y11, Y12, Y12 \
	VSUBPS Y12, Y13, Y13 \
	VADDPS Y7, Y6, Y14  \
	VSUBPS Y7, Y6, Y7   \
	VADDPS Y11, Y4, Y1  \
	VSUBPS Y11, Y4, Y6  \
	VADDPS Y12, Y0, Y2  \
	VSUBPS Y12, Y0, Y5  \
	VADDPS Y13, Y8, Y3  \
	VSUBPS Y13, Y8, Y4  \
	VMOVAPS Y14, Y0

// TURN makes columns of rows.
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

// STORE rounds four rows to bytes and stores them.
#define STORE(a, b, c, d, xa, xb) \
	VCVTPS2DQ a, a                \
	VCVTPS2DQ b, b                \
	VCVTPS2DQ c, c                \
	VCVTPS2DQ d, d                \
	VPACKSSDW b, a, a             \
	VPACKSSDW d, c, c             \
	VPADDSW   Y15, a, a           \
	VPADDSW   Y15, c, c           \
	VPACKUSWB c, a, a             \
	VEXTRACTI128 $1, a, xb        \
	VPUNPCKLDQ xb, xa, X8         \
	VPUNPCKHDQ xb, xa, X9         \
	VMOVQ     X8, (DI)            \
	VPEXTRQ   $1, X8, (DI)(R8*1)  \
	LEAQ      (DI)(R8*2), DI      \
	VMOVQ     X9, (DI)            \
	VPEXTRQ   $1, X9, (DI)(R8*1)  \
	LEAQ      (DI)(R8*2), DI

// func inverseAVX2(to *byte, stride int, coefficients *[64]int16, quantization *[64]int32, scale *[64]float32) int32
TEXT ·inverseAVX2(SB), NOSPLIT, $0-44
	MOVQ to+0(FP), DI
	MOVQ stride+8(FP), R8
	MOVQ coefficients+16(FP), SI
	MOVQ quantization+24(FP), DX
	MOVQ scale+32(FP), CX
	VPXOR Y15, Y15, Y15
	LOAD(0, Y0)
	LOAD(1, Y1)
	LOAD(2, Y2)
	LOAD(3, Y3)
	LOAD(4, Y4)
	LOAD(5, Y5)
	LOAD(6, Y6)
	LOAD(7, Y7)
	VEXTRACTI128 $1, Y15, X14
	VPADDD  X14, X15, X15
	VPSHUFD $0x4e, X15, X14
	VPADDD  X14, X15, X15
	VPSHUFD $0xb1, X15, X14
	VPADDD  X14, X15, X15
	VMOVD   X15, AX
	MOVL    AX, ret+40(FP)
	VPXOR   Y15, Y15, Y15
	VMOVDQU Y15, (SI)
	VMOVDQU Y15, 32(SI)
	VMOVDQU Y15, 64(SI)
	VMOVDQU Y15, 96(SI)
	COSINES
	TURN
	COSINES
	VPBROADCASTD middle<>(SB), Y15
	STORE(Y0, Y1, Y2, Y3, X0, X1)
	STORE(Y4, Y5, Y6, Y7, X4, X5)
	VZEROUPPER
	RET
